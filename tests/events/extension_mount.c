/* SPDX-License-Identifier: MIT */
/*
 * Mounts by descriptor, and what is reported of them. What changes mounts is done in a child with a
 * mount namespace of its own.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>

#include "harness/calls.h"
#include "harness/fixture.h"

enum { ALL_BITS = -1 };

static long check_fsopen(const char *name, const char *shown, long flags)
{
	long ret = CALL(SYS_fsopen, name, flags);
	const struct event *ev = next_with_result(EVENT_fsopen, ret);

	expect_string(ev, fsopen__fsname, shown);
	expect_i64(ev, fsopen__flags, (uint32_t)flags);
	return ret;
}

LIVE_TEST(fsopen)
{
	const struct path_case *names = fixture_paths();
	long fd = check_fsopen("tmpfs", "tmpfs", fsopen_flags__FSOPEN_CLOEXEC);

	require(fd > 0);
	close((int)fd);
	for (int i = 0; i < PATH_CASES; i++)
		check_fsopen(names[i].path, names[i].shown, 0);
	check_fsopen("tmpfs", "tmpfs", ALL_BITS);
}

static long check_fsmount(long fsfd, long flags, long attributes)
{
	long ret = CALL(SYS_fsmount, fsfd, flags, attributes);
	const struct event *ev = next_with_result(EVENT_fsmount, ret);

	expect_numbers(ev, fsmount__fsfd, fsfd, (uint32_t)flags, (uint32_t)attributes);
	return ret;
}

/* A configured file system that is not mounted yet. */
static long tmpfs_open(void)
{
	enum { CREATE = 6 };
	long fd = CALL(SYS_fsopen, "tmpfs", 0);

	require(fd > 0 && CALL(SYS_fsconfig, fd, CREATE, NULL, NULL, 0) == 0);
	return fd;
}

LIVE_TEST(fsmount)
{
	long fd = tmpfs_open();
	long mounted = check_fsmount(fd, fsmount_flags__FSMOUNT_CLOEXEC,
				     mount_attributes__MOUNT_ATTR_RDONLY |
					     mount_attributes__MOUNT_ATTR_NODEV);

	require(mounted > 0);
	close((int)mounted);
	check_fsmount(NO_FD, ALL_BITS, ALL_BITS);
	check_fsmount(-1, 0, 0);
	close((int)fd);
}

static void check_fspick(long dirfd, const char *path, const char *shown, long flags)
{
	long ret = CALL(SYS_fspick, dirfd, path, flags);
	const struct event *ev = next_with_result(EVENT_fspick, ret);

	expect_i64(ev, fspick__dirfd, dirfd);
	expect_string(ev, fspick__path, shown);
	expect_i64(ev, fspick__flags, (uint32_t)flags);
	if (ret >= 0)
		close((int)ret);
}

LIVE_TEST(fspick)
{
	const struct path_case *paths = fixture_paths();

	check_fspick(AT_FDCWD, "/", "/", fspick_flags__FSPICK_CLOEXEC);
	check_fspick(NO_FD, "x", "x", ALL_BITS);
	for (int i = 0; i < PATH_CASES; i++)
		check_fspick(AT_FDCWD, paths[i].path, paths[i].shown, 0);
}

/* The parameters of the trees that say which file the descriptor is; < 0: the call failed. */
#define expect_tree(ev, event, fd, asked)                                                          \
	do {                                                                                       \
		struct opened tree = {0};                                                          \
                                                                                                   \
		if ((fd) >= 0)                                                                     \
			tree = fixture_opened((int)(fd));                                          \
		expect_i64(ev, event##__file_flags, tree_file_flags(fd, &tree, asked));            \
		expect_i64(ev, event##__dev, (fd) < 0 ? 0 : fixture_device(&tree.status));         \
		expect_i64(ev, event##__ino, (int64_t)tree.status.st_ino);                         \
		fixture_expect_real_path(ev, event##__real_path, (fd) < 0 ? NULL : &tree);         \
	} while (0)

static int64_t tree_file_flags(long fd, const struct opened *tree, long asked)
{
	int64_t flags = file_flags__O_RDONLY;

	if (fd < 0)
		return 0;
	if (asked & open_tree_flags__OPEN_TREE_CLOEXEC)
		flags |= file_flags__O_CLOEXEC;
	if (S_ISDIR(tree->status.st_mode))
		flags |= file_flags__O_DIRECTORY | file_flags__O_TMPFILE;
	return flags;
}

static void check_open_tree(long dirfd, const char *path, const char *shown, long flags)
{
	long ret = CALL(SYS_open_tree, dirfd, path, flags);
	const struct event *ev = next_with_result(EVENT_open_tree, ret);

	expect_i64(ev, open_tree__dirfd, dirfd);
	expect_string(ev, open_tree__path, shown);
	expect_i64(ev, open_tree__flags, (uint32_t)flags);
	expect_tree(ev, open_tree, ret, flags);
	if (ret >= 0)
		close((int)ret);
}

LIVE_TEST(open_tree)
{
	const struct path_case *paths = fixture_paths();

	check_open_tree(AT_FDCWD, ".", ".",
			open_tree_flags__OPEN_TREE_CLOEXEC | open_tree_flags__AT_NO_AUTOMOUNT);
	check_open_tree(AT_FDCWD, "", "", open_tree_flags__AT_EMPTY_PATH);
	check_open_tree(AT_FDCWD, "/proc/version", "/proc/version", 0);
	check_open_tree(AT_FDCWD, ".", ".", open_tree_flags__OPEN_TREE_CLONE);
	check_open_tree(NO_FD, "x", "x", ALL_BITS);
	for (int i = 0; i < PATH_CASES; i++)
		check_open_tree(AT_FDCWD, paths[i].path, paths[i].shown, 0);
}

static void check_move_mount(long from_fd, const struct path_case *from, long to_fd,
			     const struct path_case *to, long flags)
{
	const struct event *ev =
		next_with_result(EVENT_move_mount,
				 CALL(SYS_move_mount, from_fd, from->path, to_fd, to->path, flags));

	expect_i64(ev, move_mount__from_dirfd, from_fd);
	expect_path(ev, move_mount__from_path, from);
	expect_i64(ev, move_mount__to_dirfd, to_fd);
	expect_path(ev, move_mount__to_path, to);
	expect_i64(ev, move_mount__flags, (uint32_t)flags);
}

LIVE_TEST(move_mount)
{
	const struct path_case *paths = fixture_paths();
	struct path_case none = {"none", 0, "none"}, empty = {"", 0, ""};

	for (int i = 0; i < PATH_CASES; i++) {
		check_move_mount(AT_FDCWD, &paths[i], NO_FD, &none, 0);
		check_move_mount(-1, &none, AT_FDCWD, &paths[i], ALL_BITS);
	}
	check_move_mount(NO_FD, &empty, AT_FDCWD, &none, move_mount_flags__MOVE_MOUNT_F_EMPTY_PATH);
}

struct mount_attr_now {
	uint64_t set, clr, propagation, userns_fd;
};

static void expect_attributes(const struct event *ev, unsigned int first,
			      const struct mount_attr_now *attr)
{
	if (attr)
		expect_numbers(ev, first, (int64_t)attr->set, (int64_t)attr->clr,
			       (int64_t)attr->propagation, (int64_t)attr->userns_fd);
	else
		expect_absents(ev, first, first + 3);
}

/* By both calls that take such a struct; paths that are not there. */
static void check_attributes(const char *path, const char *shown, long flags,
			     const struct mount_attr_now *attr, long size,
			     const struct mount_attr_now *shown_attr)
{
	const struct event *ev = next_with_result(
		EVENT_mount_setattr, CALL(SYS_mount_setattr, NO_FD, path, flags, attr, size));
	long ret;

	expect_i64(ev, mount_setattr__dirfd, NO_FD);
	expect_string(ev, mount_setattr__path, shown);
	expect_i64(ev, mount_setattr__flags, (uint32_t)flags);
	expect_attributes(ev, mount_setattr__attr_set, shown_attr);
	expect_i64(ev, mount_setattr__size, size);

	ret = CALL(NR(open_tree_attr), NO_FD, path, flags, attr, size);
	ev = next_with_result(EVENT_open_tree_attr, ret);
	expect_i64(ev, open_tree_attr__dirfd, NO_FD);
	expect_string(ev, open_tree_attr__path, shown);
	expect_i64(ev, open_tree_attr__flags, (uint32_t)flags);
	expect_attributes(ev, open_tree_attr__attr_set, shown_attr);
	expect_i64(ev, open_tree_attr__size, size);
	expect_tree(ev, open_tree_attr, ret, flags);
}

LIVE_TEST(mount_setattr)
{
	const struct path_case *paths = fixture_paths();
	struct mount_attr_now attr = {mount_attributes__MOUNT_ATTR_RDONLY,
				      mount_attributes__MOUNT_ATTR_NOSUID,
				      mount_propagation__MS_PRIVATE, 5},
			      all = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX},
			      part = {UINT64_MAX, UINT64_MAX - 1, 0, 0};

	for (int i = 0; i < PATH_CASES; i++)
		check_attributes(paths[i].path, paths[i].shown, at_flags__AT_RECURSIVE, &attr,
				 sizeof(attr), &attr);
	check_attributes("x", "x", ALL_BITS, fixture_edge(&all, sizeof(all)), 1 << 20, &all);
	check_attributes("x", "x", 0, &all, 16, &part);
	check_attributes("x", "x", 0, UNREADABLE, sizeof(attr), NULL);
	check_attributes("x", "x", 0, NULL, 0, NULL);
}

/* A clone of a mount that is read-only, seen by nobody else. */
LIVE_TEST(open_tree_attr)
{
	struct mount_attr_now attr = {mount_attributes__MOUNT_ATTR_RDONLY, 0, 0, 0};
	long flags = open_tree_flags__OPEN_TREE_CLONE | open_tree_flags__OPEN_TREE_CLOEXEC;
	long ret = CALL(NR(open_tree_attr), AT_FDCWD, ".", flags, &attr, sizeof(attr));
	const struct event *ev = next_with_result(EVENT_open_tree_attr, ret);

	expect_i64(ev, open_tree_attr__dirfd, AT_FDCWD);
	expect_string(ev, open_tree_attr__path, ".");
	expect_i64(ev, open_tree_attr__flags, flags);
	expect_attributes(ev, open_tree_attr__attr_set, &attr);
	expect_i64(ev, open_tree_attr__size, sizeof(attr));
	expect_tree(ev, open_tree_attr, ret, flags);
	if (ret >= 0)
		close((int)ret);
}

static void check_pivot_root(const struct path_case *new_root, const struct path_case *put_old)
{
	const struct event *ev = next_with_result(
		EVENT_pivot_root, CALL(SYS_pivot_root, new_root->path, put_old->path));

	expect_path(ev, pivot_root__new_root, new_root);
	expect_path(ev, pivot_root__put_old, put_old);
}

LIVE_TEST(pivot_root)
{
	const struct path_case *paths = fixture_paths();
	struct path_case none = {"none", 0, "none"}, here = {".", 0, "."};

	for (int i = 0; i < PATH_CASES; i++) {
		check_pivot_root(&paths[i], &none);
		check_pivot_root(&here, &paths[i]);
	}
}

struct request_now {
	uint32_t size, spare;
	uint64_t id, param, ns_id;
};

enum { REQUEST_OLD = 24, TEXT_AT = 512 };

static void expect_request(const struct event *ev, unsigned int first,
			   const struct request_now *request)
{
	if (!request) {
		expect_absents(ev, first, first + 2);
		return;
	}
	expect_numbers(ev, first, (int64_t)request->id, (int64_t)request->param);
	if (request->size >= sizeof(*request))
		expect_i64(ev, first + 2, (int64_t)request->ns_id);
	else
		expect_absent(ev, first + 2);
}

static void check_listmount(const struct request_now *request, uint64_t *ids, long count,
			    long flags, const struct request_now *shown)
{
	long ret = CALL(NR(listmount), request, ids, count, flags);
	const struct event *ev = next_with_result(EVENT_listmount, ret);

	expect_request(ev, listmount__mnt_id, shown);
	expect_bytes(ev, listmount__mnt_ids, ids, ret > 0 ? (size_t)ret * sizeof(*ids) : 0);
	expect_numbers(ev, listmount__nr_mnt_ids, count, (uint32_t)flags);
}

LIVE_TEST(listmount)
{
	struct request_now root = {REQUEST_OLD, 0, UINT64_MAX, 0, 0},
			   whole = {sizeof(whole), 0, 1L << 40, 2, UINT64_MAX};
	uint64_t ids[100] = {0};

	check_listmount(&root, ids, 100, 0, &root);
	check_listmount(&root, ids, 1, listmount_flags__LISTMOUNT_REVERSE, &root);
	check_listmount(fixture_edge(&root, REQUEST_OLD), ids, 100, 0, &root);
	check_listmount(&whole, ids, 100, ALL_BITS, &whole);
	check_listmount(UNREADABLE, ids, 100, 0, NULL);
	check_listmount(NULL, UNREADABLE, 1L << 40, 0, NULL);
}

struct ns_request_now {
	uint32_t size, spare;
	uint64_t id;
	uint32_t type, spare2;
	uint64_t user_ns_id;
};

static void check_listns(const struct ns_request_now *request, uint64_t *ids, long count,
			 long flags, const struct ns_request_now *shown)
{
	long ret = CALL(NR(listns), request, ids, count, flags);
	const struct event *ev = next_with_result(EVENT_listns, ret);

	if (shown)
		expect_numbers(ev, listns__ns_id, (int64_t)shown->id, shown->type,
			       (int64_t)shown->user_ns_id);
	else
		expect_absents(ev, listns__ns_id, listns__user_ns_id);
	expect_bytes(ev, listns__ns_ids, ids, ret > 0 ? (size_t)ret * sizeof(*ids) : 0);
	expect_numbers(ev, listns__nr_ns_ids, count, (uint32_t)flags);
}

LIVE_TEST(listns)
{
	struct ns_request_now net = {sizeof(net), 0, 0, CLONE_NEWNET, 0, 0},
			      all = {sizeof(all), 0, 1L << 40, UINT32_MAX, 0, UINT64_MAX};
	uint64_t ids[10] = {0};

	check_listns(&net, ids, 10, 0, &net);
	check_listns(&all, ids, 10, ALL_BITS, &all);
	check_listns(UNREADABLE, ids, 10, 0, NULL);
	check_listns(NULL, UNREADABLE, 1L << 40, 0, NULL);
}

/* As far as it is compared. */
struct statmount_now {
	uint32_t size, options;
	uint64_t mask, device, magic;
	uint32_t sb_flags, fs_type;
	uint64_t id, parent_id, old_ids, attributes, propagation, peer_group, master, from;
	uint32_t root, point;
	uint8_t rest[TEXT_AT - 112];
	char text[4096];
};

static const char *text_of(const struct statmount_now *status, uint64_t bit, uint32_t at)
{
	return status->mask & bit ? status->text + at : NULL;
}

static void check_statmount(const struct request_now *request, struct statmount_now *status,
			    long flags, const struct request_now *shown)
{
	long ret = CALL(NR(statmount), request, status, sizeof(*status), flags);
	const struct event *ev = next_with_result(EVENT_statmount, ret);

	expect_request(ev, statmount__mnt_id, shown);
	if (ret == 0) {
		expect_numbers(ev, statmount__mask, (int64_t)status->mask,
			       (int64_t)status->attributes, (int64_t)status->parent_id);
		expect_string(ev, statmount__fs_type,
			      text_of(status, statmount_mask__STATMOUNT_FS_TYPE, status->fs_type));
		expect_string(ev, statmount__mnt_root,
			      text_of(status, statmount_mask__STATMOUNT_MNT_ROOT, status->root));
		expect_string(ev, statmount__mnt_point,
			      text_of(status, statmount_mask__STATMOUNT_MNT_POINT, status->point));
	} else {
		expect_absents(ev, statmount__mask, statmount__mnt_point);
	}
	expect_numbers(ev, statmount__bufsize, sizeof(*status), (uint32_t)flags);
}

/* Values that did not fit into the caller's memory are absent, whatever follows it. */
static void check_statmount_cut(const struct request_now *request)
{
	const size_t bytes = offsetof(struct statmount_now, attributes);
	struct statmount_now status = {.attributes = UINT64_MAX};
	long ret = CALL(NR(statmount), request, &status, bytes, 0L);
	const struct event *ev = next_with_result(EVENT_statmount, ret);

	expect_request(ev, statmount__mnt_id, request);
	if (ret == 0)
		expect_numbers(ev, statmount__mask, (int64_t)status.mask, 0,
			       (int64_t)status.parent_id);
	else
		expect_absents(ev, statmount__mask, statmount__mnt_parent_id);
	expect_absents(ev, statmount__fs_type, statmount__mnt_point);
	expect_numbers(ev, statmount__bufsize, (int64_t)bytes, 0);
}

LIVE_TEST(statmount)
{
	struct request_now all = {sizeof(all), 0, UINT64_MAX, UINT64_MAX, 3}, own = {REQUEST_OLD};
	struct request_now root = {REQUEST_OLD, 0, UINT64_MAX, 0, 0};
	struct statmount_now status = {0};

	CALL(NR(listmount), &root, &own.id, 1, 0);
	live_skip();
	own.param = statmount_mask__STATMOUNT_MNT_BASIC | statmount_mask__STATMOUNT_MNT_POINT |
		    statmount_mask__STATMOUNT_FS_TYPE | statmount_mask__STATMOUNT_MNT_ROOT;
	check_statmount(&own, &status, 0, &own);
	own.param = statmount_mask__STATMOUNT_MNT_POINT;
	check_statmount(&own, &status, 0, &own);
	own.param = statmount_mask__STATMOUNT_MNT_BASIC;
	check_statmount_cut(&own);
	check_statmount(&all, &status, ALL_BITS, &all);
	check_statmount(UNREADABLE, &status, 0, NULL);
	check_statmount(&own, UNREADABLE, 0, &own);
}
