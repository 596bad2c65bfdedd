/* SPDX-License-Identifier: MIT */
/* File systems as a whole; swapping and accounting only in ways that are sure to fail. */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "harness/calls.h"

enum { ALL_BITS = -1 };

/* Calls on one path and nothing else. */
static void check_paths(unsigned int id, long number)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		/* No path would end accounting. */
		if (id == EVENT_acct && !paths[i].path)
			continue;
		expect_string(next_with_result(id, CALL(number, paths[i].path)), 1, paths[i].shown);
	}
	expect_string(next_with_result(id, CALL(number, "/")), 1, "/");
}

LIVE_TEST(acct)
{
	check_paths(EVENT_acct, SYS_acct);
}

LIVE_TEST(swapoff)
{
	check_paths(EVENT_swapoff, SYS_swapoff);
}

static void check_swapon(const char *path, const char *shown, long flags)
{
	const struct event *ev = next_with_result(EVENT_swapon, CALL(SYS_swapon, path, flags));

	expect_string(ev, swapon__path, shown);
	expect_i64(ev, swapon__swapflags, (uint32_t)flags);
}

LIVE_TEST(swapon)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++)
		check_swapon(paths[i].path, paths[i].shown, 0);
	check_swapon("/", "/", swapon_flags__SWAP_FLAG_PREFER | 5);
	check_swapon("/", "/", ALL_BITS);
}

static void expect_statfs(const struct event *ev, unsigned int first, const struct statfs *status)
{
	if (!status) {
		expect_absents(ev, first, first + 10);
		return;
	}
	expect_numbers(ev, first, (uint32_t)status->f_type, status->f_bsize,
		       (int64_t)status->f_blocks, (int64_t)status->f_bfree,
		       (int64_t)status->f_bavail, (int64_t)status->f_files,
		       (int64_t)status->f_ffree,
		       (uint32_t)status->f_fsid.__val[0] |
			       (int64_t)((uint64_t)status->f_fsid.__val[1] << 32),
		       status->f_namelen, status->f_frsize, status->f_flags);
}

static void check_statfs(const char *path, const char *shown, struct statfs *status)
{
	long ret = CALL(SYS_statfs, path, status);
	const struct event *ev = next_with_result(EVENT_statfs, ret);

	expect_string(ev, statfs__path, shown);
	expect_statfs(ev, statfs__f_type, ret == 0 ? status : NULL);
}

LIVE_TEST(statfs)
{
	const struct path_case *paths = fixture_paths();
	struct statfs status;

	for (int i = 0; i < PATH_CASES; i++)
		check_statfs(paths[i].path, paths[i].shown, &status);
	check_statfs(".", ".", &status);
	check_statfs("/proc", "/proc", &status);
	require(status.f_type == (long)fs_magics__PROC_SUPER_MAGIC);
	check_statfs(".", ".", UNREADABLE);
}

static void check_fstatfs(long fd, struct statfs *status)
{
	long ret = CALL(SYS_fstatfs, fd, status);
	const struct event *ev = next_with_result(EVENT_fstatfs, ret);

	expect_i64(ev, fstatfs__fd, fd);
	expect_statfs(ev, fstatfs__f_type, ret == 0 ? status : NULL);
}

LIVE_TEST(fstatfs)
{
	struct statfs status;
	int fd = open(".", O_RDONLY);

	check_fstatfs(fd, &status);
	check_fstatfs(fd, NULL);
	check_fstatfs(NO_FD, &status);
	check_fstatfs(-1, &status);
	close(fd);
}

LIVE_TEST(lookup_dcookie)
{
	static const long cookies[] = {0, -1, 1L << 40};
	char buffer[100];

	for (int i = 0; i < 3; i++) {
		long ret = CALL(SYS_lookup_dcookie, cookies[i], buffer, sizeof(buffer));
		const struct event *ev = next_with_result(EVENT_lookup_dcookie, ret);

		require(ret < 0);
		expect_i64(ev, lookup_dcookie__cookie, cookies[i]);
		expect_absent(ev, lookup_dcookie__buffer);
		expect_i64(ev, lookup_dcookie__len, sizeof(buffer));
	}
}

static void check_quotactl_fd(long fd, uint32_t command, long type, long id, void *address)
{
	const struct event *ev = next_with_result(
		EVENT_quotactl_fd, CALL(SYS_quotactl_fd, fd, command << 8 | type, id, address));

	expect_numbers(ev, quotactl_fd__fd, fd, command & 0xffffff, type, (int32_t)id,
		       (int64_t)address);
}

LIVE_TEST(quotactl_fd)
{
	int fd = open(".", O_RDONLY), room;

	check_quotactl_fd(fd, quotactl_fd_commands__Q_GETFMT, quotactl_fd_types__USRQUOTA, 0,
			  &room);
	check_quotactl_fd(fd, quotactl_fd_commands__Q_XGETQSTAT, quotactl_fd_types__PRJQUOTA, 1,
			  UNREADABLE);
	check_quotactl_fd(NO_FD, 0xffffff, 0xff, -1, NULL);
	close(fd);
}

enum { INDEX_OF_NAME = 1, NAME_OF_INDEX = 2, COUNT = 3 };

static void check_sysfs(long option, const char *name, const char *shown, long index, char *buf)
{
	long second = option == NAME_OF_INDEX ? index : (long)name;
	long ret = CALL(SYS_sysfs, option, second, buf);
	const struct event *ev = next_with_result(EVENT_sysfs, ret);

	expect_i64(ev, sysfs__option, option);
	expect_string(ev, sysfs__fsname, shown);
	if (option == NAME_OF_INDEX)
		expect_i64(ev, sysfs__fs_index, (uint32_t)index);
	else
		expect_absent(ev, sysfs__fs_index);
	expect_string(ev, sysfs__buf, option == NAME_OF_INDEX && ret >= 0 ? buf : NULL);
}

LIVE_TEST(sysfs)
{
	char buf[100];

	check_sysfs(INDEX_OF_NAME, "proc", "proc", 0, NULL);
	check_sysfs(INDEX_OF_NAME, UNREADABLE, NULL, 0, NULL);
	check_sysfs(NAME_OF_INDEX, NULL, NULL, 0, buf);
	check_sysfs(NAME_OF_INDEX, NULL, NULL, -1, buf);
	check_sysfs(NAME_OF_INDEX, NULL, NULL, 0, UNREADABLE);
	check_sysfs(COUNT, NULL, NULL, 0, NULL);
	check_sysfs(ALL_BITS, NULL, NULL, 0, NULL);
}

struct ustat_now {
	int32_t free_blocks;
	uint64_t free_inodes;
	char names[12];
};

static void check_ustat(uint32_t dev, struct ustat_now *status)
{
	long ret = CALL(SYS_ustat, dev, status);
	const struct event *ev = next_with_result(EVENT_ustat, ret);

	expect_i64(ev, ustat__dev, dev);
	if (ret == 0)
		expect_numbers(ev, ustat__f_tfree, status->free_blocks,
			       (int64_t)status->free_inodes);
	else
		expect_absents(ev, ustat__f_tfree, ustat__f_tinode);
}

LIVE_TEST(ustat)
{
	struct ustat_now status = {0};
	struct stat here;

	require(stat(".", &here) == 0);
	check_ustat(fixture_device(&here), &status);
	check_ustat(UINT32_MAX, &status);
	check_ustat(fixture_device(&here), UNREADABLE);
}
