/* SPDX-License-Identifier: MIT */
/* Files by path: access, permissions, links, status, handles. */
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <string.h>

#include "harness/calls.h"

enum { ALL_BITS = -1 };

static void check_faccessat(long dirfd, const char *path, const char *shown, long mode)
{
	const struct event *ev =
		next_with_result(EVENT_faccessat, CALL(SYS_faccessat, dirfd, path, mode));

	expect_i64(ev, faccessat__dirfd, dirfd);
	expect_string(ev, faccessat__path, shown);
	expect_i64(ev, faccessat__mode, (uint32_t)mode);
}

LIVE_TEST(faccessat)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_faccessat(AT_FDCWD, paths[i].path, paths[i].shown, R_OK);
	check_faccessat(AT_FDCWD, "file", "file", F_OK);
	check_faccessat(NO_FD, "file", "file", R_OK | W_OK | X_OK);
	check_faccessat(-1, "file", "file", 0xdeadbeef);
	require(access_flags__W_OK == W_OK && access_flags__X_OK == X_OK);
}

static void check_faccessat2(long dirfd, const char *path, const char *shown, long mode, long flags)
{
	const struct event *ev =
		next_with_result(EVENT_faccessat2, CALL(NR(faccessat2), dirfd, path, mode, flags));

	expect_i64(ev, faccessat2__dirfd, dirfd);
	expect_string(ev, faccessat2__path, shown);
	expect_numbers(ev, faccessat2__mode, (uint32_t)mode, (uint32_t)flags);
}

LIVE_TEST(faccessat2)
{
	const struct path_case *paths = fixture_paths();
	long dirfd = open(".", O_PATH);

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_faccessat2(dirfd, paths[i].path, paths[i].shown, X_OK, 0);
	check_faccessat2(AT_FDCWD, "file", "file", R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
	check_faccessat2(dirfd, "", "", R_OK, AT_EMPTY_PATH);
	check_faccessat2(NO_FD, "file", "file", ALL_BITS, ALL_BITS);
	close((int)dirfd);
}

static void check_fchmodat2(long dirfd, const char *path, const char *shown, long mode, long flags)
{
	const struct event *ev =
		next_with_result(EVENT_fchmodat2, CALL(NR(fchmodat2), dirfd, path, mode, flags));

	expect_i64(ev, fchmodat2__dirfd, dirfd);
	expect_string(ev, fchmodat2__path, shown);
	expect_numbers(ev, fchmodat2__mode, (uint16_t)mode, (uint32_t)flags);
}

LIVE_TEST(fchmodat2)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		check_fchmodat2(AT_FDCWD, paths[i].path, paths[i].shown, 0644, 0);
	check_fchmodat2(AT_FDCWD, "file", "file", 07755, at_flags__AT_SYMLINK_NOFOLLOW);
	check_fchmodat2(-1, "", "", 0, at_flags__AT_EMPTY_PATH);
	check_fchmodat2(NO_FD, "file", "file", ALL_BITS, ALL_BITS);
}

struct file_attr_now {
	uint64_t xflags;
	uint32_t extsize, nextents, projid, cowextsize;
};

static void expect_attributes(const struct event *ev, const struct file_attr_now *attr)
{
	if (attr)
		expect_numbers(ev, file_getattr__fa_xflags, (int64_t)attr->xflags, attr->extsize,
			       attr->nextents, attr->projid, attr->cowextsize);
	else
		expect_absents(ev, file_getattr__fa_xflags, file_getattr__fa_cowextsize);
}

static void check_file_getattr(const char *path, const char *shown, struct file_attr_now *attr,
			       long size, long flags)
{
	long ret = CALL(NR(file_getattr), AT_FDCWD, path, attr, size, flags);
	const struct event *ev = next_with_result(EVENT_file_getattr, ret);

	expect_i64(ev, file_getattr__dirfd, AT_FDCWD);
	expect_string(ev, file_getattr__path, shown);
	expect_i64(ev, file_getattr__size, size);
	expect_attributes(ev, ret == 0 ? attr : NULL);
	expect_i64(ev, file_getattr__at_flags, (uint32_t)flags);
}

LIVE_TEST(file_getattr)
{
	const struct path_case *paths = fixture_paths();
	struct file_attr_now attr = {0};

	for (int i = 0; i < PATH_CASES; i++)
		check_file_getattr(paths[i].path, paths[i].shown, &attr, sizeof(attr), 0);
	check_file_getattr(".", ".", &attr, sizeof(attr), AT_SYMLINK_NOFOLLOW);
	check_file_getattr(".", ".", UNREADABLE, sizeof(attr), 0);
	check_file_getattr(".", ".", &attr, 3, ALL_BITS);
}

static void check_file_setattr(const char *path, const struct file_attr_now *attr,
			       const struct file_attr_now *shown, long size, long flags)
{
	const struct event *ev = next_with_result(
		EVENT_file_setattr, CALL(NR(file_setattr), NO_FD, path, attr, size, flags));

	expect_i64(ev, file_setattr__dirfd, NO_FD);
	expect_string(ev, file_setattr__path, path);
	expect_i64(ev, file_setattr__size, size);
	expect_attributes(ev, shown);
	expect_i64(ev, file_setattr__at_flags, (uint32_t)flags);
}

LIVE_TEST(file_setattr)
{
	struct file_attr_now attr = {0xf23456789abcdef0, 2, 3, 4, 5},
			     part = {attr.xflags, 2, 0, 0, 0};
	char *edge = fixture_edge(&attr, sizeof(attr));

	require((int)file_setattr__fa_xflags == file_getattr__fa_xflags &&
		(int)file_setattr__fa_cowextsize == file_getattr__fa_cowextsize);
	check_file_setattr("file", &attr, &attr, sizeof(attr), 0);
	check_file_setattr("file", (void *)edge, &attr, sizeof(attr), AT_EMPTY_PATH);
	check_file_setattr("file", (void *)edge, &attr, 1 << 20, AT_EMPTY_PATH);
	check_file_setattr("file", &attr, &part, 12, ALL_BITS);
	check_file_setattr("file", &attr, NULL, 0, 0);
	check_file_setattr("file", NULL, NULL, sizeof(attr), 0);
	check_file_setattr("file", UNREADABLE, NULL, sizeof(attr), 0);
}

struct handle {
	uint32_t bytes;
	int32_t type;
	uint8_t data[256];
};

static void check_handle(const char *path, const char *shown, struct handle *handle, long flags)
{
	bool unique = flags & 1, readable = (void *)handle != UNREADABLE;
	uint64_t mount_id = 0;
	long ret = CALL(SYS_name_to_handle_at, AT_FDCWD, path, handle, &mount_id, flags);
	const struct event *ev = next_with_result(EVENT_name_to_handle_at, ret);

	expect_i64(ev, name_to_handle_at__dirfd, AT_FDCWD);
	expect_string(ev, name_to_handle_at__pathname, shown);
	if (readable)
		expect_i64(ev, name_to_handle_at__handle_bytes, handle->bytes);
	else
		expect_absent(ev, name_to_handle_at__handle_bytes);
	if (ret == 0) {
		expect_i64(ev, name_to_handle_at__handle_type, handle->type);
		expect_bytes(ev, name_to_handle_at__f_handle, handle->data, handle->bytes);
		expect_i64(ev, name_to_handle_at__mount_id,
			   unique ? (int64_t)mount_id : (int64_t)(uint32_t)mount_id);
	} else {
		expect_absents(ev, name_to_handle_at__handle_type, name_to_handle_at__mount_id);
	}
	expect_i64(ev, name_to_handle_at__flags, (uint32_t)flags);
}

LIVE_TEST(name_to_handle_at)
{
	const struct path_case *paths = fixture_paths();
	struct handle handle = {.bytes = 128}, small = {.bytes = 0}, large = {.bytes = 1 << 20};

	for (int i = 0; i < PATH_CASES; i++)
		check_handle(paths[i].path, paths[i].shown, &handle, 0);
	check_handle(".", ".", &handle, 0);
	handle.bytes = 128;
	check_handle(".", ".", &handle, name_to_handle_flags__AT_HANDLE_MNT_ID_UNIQUE);
	check_handle(".", ".", &small, 0);
	check_handle(".", ".", &large, ALL_BITS);
	check_handle(".", ".", UNREADABLE, 0);
}

/* Links to what is as long as text can be, and to short names. */
static void check_readlink(const char *path, const char *shown, const char *target, long size)
{
	char buf[PATH_MAX], expected[PATH_MAX] = "";
	long ret = CALL(SYS_readlink, path, buf, size);
	const struct event *ev = next_with_result(EVENT_readlink, ret);

	if (ret > 0)
		memcpy(expected, target, (size_t)ret);
	expect_string(ev, readlink__path, shown);
	expect_string(ev, readlink__buf, ret > 0 ? expected : NULL);
	expect_i64(ev, readlink__bufsiz, (int32_t)size);

	ret = CALL(SYS_readlinkat, AT_FDCWD, path, buf, size);
	ev = next_with_result(EVENT_readlinkat, ret);
	expect_i64(ev, readlinkat__dirfd, AT_FDCWD);
	expect_string(ev, readlinkat__path, shown);
	expect_string(ev, readlinkat__buf, ret > 0 ? expected : NULL);
	expect_i64(ev, readlinkat__bufsiz, (int32_t)size);
}

LIVE_TEST(readlink)
{
	const struct path_case *paths = fixture_paths();
	const char *longest = paths[3].path;

	require(symlink("to/somewhere", "link") == 0 && symlink(longest, "long") == 0);
	for (int i = 0; i < PATH_CASES; i++)
		check_readlink(paths[i].path, paths[i].shown, NULL, PATH_MAX);
	check_readlink("link", "link", "to/somewhere", PATH_MAX);
	check_readlink("link", "link", "to/somewhere", 3);
	check_readlink("link", "link", "to/somewhere", 0x100000003);
	check_readlink("link", "link", NULL, 0);
	check_readlink("link", "link", NULL, -1);
	check_readlink("long", "long", longest, PATH_MAX);
	check_readlink(".", ".", NULL, PATH_MAX);
}

LIVE_TEST(readlinkat)
{
	long dirfd = open(".", O_PATH), ret;
	char buf[16];
	const struct event *ev;

	require(symlink("there", "link") == 0);
	ev = next_with_result(EVENT_readlinkat,
			      CALL(SYS_readlinkat, dirfd, "link", buf, sizeof(buf)));
	expect_i64(ev, readlinkat__dirfd, dirfd);
	expect_string(ev, readlinkat__path, "link");
	expect_string(ev, readlinkat__buf, "there");
	expect_i64(ev, readlinkat__bufsiz, sizeof(buf));

	ret = CALL(SYS_readlinkat, NO_FD, "link", UNREADABLE, 5);
	require(ret == -EBADF);
	ev = next_with_result(EVENT_readlinkat, ret);
	expect_i64(ev, readlinkat__dirfd, NO_FD);
	expect_string(ev, readlinkat__path, "link");
	expect_absent(ev, readlinkat__buf);
	expect_i64(ev, readlinkat__bufsiz, 5);
	close((int)dirfd);
}

static void check_statx(const char *path, const char *shown, long flags, long mask,
			struct statx *status)
{
	long ret = CALL(SYS_statx, AT_FDCWD, path, flags, mask, status);
	const struct event *ev = next_with_result(EVENT_statx, ret);

	expect_i64(ev, statx__dirfd, AT_FDCWD);
	expect_string(ev, statx__path, shown);
	expect_numbers(ev, statx__flags, (uint32_t)flags, (uint32_t)mask);
	if (ret) {
		expect_absents(ev, statx__stx_mask, statx__stx_dev);
		return;
	}
	expect_numbers(ev, statx__stx_mask, status->stx_mask, (int64_t)status->stx_attributes,
		       status->stx_nlink, status->stx_uid, status->stx_gid, status->stx_mode,
		       (int64_t)status->stx_ino, (int64_t)status->stx_size,
		       (status->stx_dev_minor & 0xff) | status->stx_dev_major << 8 |
			       (status->stx_dev_minor & ~0xffU) << 12);
}

LIVE_TEST(statx)
{
	const struct path_case *paths = fixture_paths();
	struct statx status = {0};

	fixture_file("file", 321);
	require(chown("file", 12, 34) == 0 && chmod("file", 04751) == 0);
	for (int i = 0; i < PATH_CASES; i++)
		check_statx(paths[i].path, paths[i].shown, 0, STATX_ALL, &status);
	check_statx("file", "file", AT_SYMLINK_NOFOLLOW, -1, UNREADABLE);
	check_statx("file", "file", ALL_BITS, 0, &status);
	check_statx("file", "file", 0, STATX_BASIC_STATS, &status);
	require(status.stx_uid == 12 && status.stx_gid == 34 && status.stx_mode == 0104751 &&
		status.stx_size == 321);
	check_statx("/proc/self/fd/0", "/proc/self/fd/0", AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC,
		    STATX_TYPE, &status);
}

LIVE_TEST(umask)
{
	static const mode_t masks[] = {027, 0, 0777, 0x40000012};
	mode_t before = 022;

	umask(before);
	live_skip();
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		const struct event *ev;

		require(CALL(SYS_umask, masks[i]) == before);
		ev = next_with_result(EVENT_umask, before);
		expect_i64(ev, umask__mask, masks[i]);
		before = masks[i] & 0777;
	}
}
