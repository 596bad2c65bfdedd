/* SPDX-License-Identifier: MIT */
/* chown, lchown, fchown, fchownat: owners as given, and which file they are for. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* Owners as given and as shown; -1 leaves one as it is. */
static const struct {
	long uid, gid;
	uint32_t shown_uid, shown_gid;
} owners[] = {
	{5, 6, 5, 6},
	{70000, -1, 70000, UINT32_MAX},
	{-1, 0xfffffffe, UINT32_MAX, 0xfffffffe},
	{0x100000000, 0x1234500000001, 0, 1},
};

enum { OWNERS_COUNT = sizeof(owners) / sizeof(owners[0]) };

#define OWNERS(i) owners[i].uid, owners[i].gid
#define SHOWN_OWNERS(i) NUMBER(owners[i].shown_uid), NUMBER(owners[i].shown_gid)

LIVE_TEST(chown)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(chown, paths[i].error, CALL(SYS_chown, paths[i].path, 1L, 2L),
			    TEXT(paths[i].shown), NUMBER(1), NUMBER(2));
	for (int i = 0; i < OWNERS_COUNT; i++)
		expect_call(chown, 0, CALL(SYS_chown, "file", OWNERS(i)), TEXT("file"),
			    SHOWN_OWNERS(i));
}

LIVE_TEST(lchown)
{
	const struct path_case *paths = fixture_paths();

	require(symlink("nowhere", "dangling") == 0);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(lchown, paths[i].error, CALL(SYS_lchown, paths[i].path, 1L, 2L),
			    TEXT(paths[i].shown), NUMBER(1), NUMBER(2));
	for (int i = 0; i < OWNERS_COUNT; i++)
		expect_call(lchown, 0, CALL(SYS_lchown, "dangling", OWNERS(i)), TEXT("dangling"),
			    SHOWN_OWNERS(i));
}

LIVE_TEST(fchown)
{
	int fd;

	fixture_file("file", 1);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	for (int i = 0; i < OWNERS_COUNT; i++)
		expect_call(fchown, 0, CALL(SYS_fchown, fd, OWNERS(i)), NUMBER(fd),
			    SHOWN_OWNERS(i));
	expect_call(fchown, -EBADF, CALL(SYS_fchown, 0x100000000L + NO_FD, 4L, 5L), NUMBER(NO_FD),
		    NUMBER(4), NUMBER(5));
	expect_call(fchown, -EBADF, CALL(SYS_fchown, -1L, 4L, 5L), NUMBER(-1), NUMBER(4),
		    NUMBER(5));
	close(fd);
}

static void check_flags(long dirfd, const char *path, long flags, int64_t shown, long ret)
{
	expect_call(fchownat, ret, CALL(SYS_fchownat, dirfd, path, 1L, 2L, flags), NUMBER(dirfd),
		    TEXT(path), NUMBER(1), NUMBER(2), NUMBER(shown));
}

LIVE_TEST(fchownat)
{
	int directory = open(".", O_RDONLY | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	require(directory > 0);
	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(fchownat, paths[i].error,
			    CALL(SYS_fchownat, AT_FDCWD, paths[i].path, 1L, 2L, 0L),
			    NUMBER(AT_FDCWD), TEXT(paths[i].shown), NUMBER(1), NUMBER(2),
			    NUMBER(0));
	for (int i = 0; i < OWNERS_COUNT; i++)
		expect_call(fchownat, 0, CALL(SYS_fchownat, directory, "file", OWNERS(i), 0L),
			    NUMBER(directory), TEXT("file"), SHOWN_OWNERS(i), NUMBER(0));
	check_flags(directory, "", AT_EMPTY_PATH, fchownat_flags__AT_EMPTY_PATH, 0);
	check_flags(directory, "file", AT_SYMLINK_NOFOLLOW, 0, 0);
	check_flags(directory, "file", AT_SYMLINK_FOLLOW, 0x400, -EINVAL);
	check_flags(directory, "file", -1, 0x400 | fchownat_flags__AT_EMPTY_PATH, -EINVAL);
	check_flags(NO_FD, "file", 0, 0, -EBADF);
	close(directory);
}
