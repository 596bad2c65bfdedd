/* SPDX-License-Identifier: MIT */
/* stat, lstat, fstat, newfstatat: what they ask about; memory that cannot be written. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(stat)
{
	const struct path_case *paths = fixture_paths();
	struct stat status;

	for (int i = 0; i < PATH_CASES; i++)
		expect_call(stat, paths[i].error, CALL(SYS_stat, paths[i].path, &status),
			    TEXT(paths[i].shown));
	expect_call(stat, 0, CALL(SYS_stat, "/", &status), TEXT("/"));
	expect_call(stat, -EFAULT, CALL(SYS_stat, ".", UNREADABLE), TEXT("."));
}

LIVE_TEST(lstat)
{
	const struct path_case *paths = fixture_paths();
	struct stat status;

	require(symlink("nowhere", "dangling") == 0);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(lstat, paths[i].error, CALL(SYS_lstat, paths[i].path, &status),
			    TEXT(paths[i].shown));
	expect_call(lstat, 0, CALL(SYS_lstat, "dangling", &status), TEXT("dangling"));
	expect_call(lstat, -EFAULT, CALL(SYS_lstat, "dangling", UNREADABLE), TEXT("dangling"));
}

LIVE_TEST(fstat)
{
	struct stat status;

	expect_call(fstat, 0, CALL(SYS_fstat, 1L, &status), NUMBER(1));
	expect_call(fstat, -EFAULT, CALL(SYS_fstat, 1L, UNREADABLE), NUMBER(1));
	expect_call(fstat, -EBADF, CALL(SYS_fstat, NO_FD, &status), NUMBER(NO_FD));
	expect_call(fstat, -EBADF, CALL(SYS_fstat, -1L, &status), NUMBER(-1));
	expect_call(fstat, 0, CALL(SYS_fstat, 0x100000001L, &status), NUMBER(1));
}

static void check_flags(long dirfd, const char *path, long flags, int64_t shown, long ret)
{
	struct stat status;

	expect_call(newfstatat, ret, CALL(SYS_newfstatat, dirfd, path, &status, flags),
		    NUMBER(dirfd), TEXT(path), NUMBER(shown));
}

LIVE_TEST(newfstatat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();
	struct stat status;

	require(directory > 0 && symlink("nowhere", "dangling") == 0);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(newfstatat, paths[i].error,
			    CALL(SYS_newfstatat, AT_FDCWD, paths[i].path, &status, 0L),
			    NUMBER(AT_FDCWD), TEXT(paths[i].shown), NUMBER(0));
	check_flags(directory, "dangling", 0, 0, -ENOENT);
	check_flags(directory, "dangling", AT_SYMLINK_NOFOLLOW,
		    newfstatat_flags__AT_SYMLINK_NOFOLLOW, 0);
	check_flags(directory, ".", AT_NO_AUTOMOUNT, newfstatat_flags__AT_NO_AUTOMOUNT, 0);
	check_flags(directory, "", AT_EMPTY_PATH, newfstatat_flags__AT_EMPTY_PATH, 0);
	check_flags(NO_FD, ".", 0, 0, -EBADF);
	check_flags(AT_FDCWD, ".", -1,
		    newfstatat_flags__AT_EMPTY_PATH | newfstatat_flags__AT_NO_AUTOMOUNT |
			    newfstatat_flags__AT_SYMLINK_NOFOLLOW,
		    -EINVAL);
	close(directory);
}
