/* SPDX-License-Identifier: MIT */
/* chmod, fchmod, fchmodat: every bit of the mode, and which file it is for. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* Modes, and what is shown of them: the permission bits. */
static const struct {
	long native;
	int64_t shown;
} modes[] = {
	{0, 0},
	{S_IXOTH, chmod_mode__S_IXOTH},
	{S_IWOTH, chmod_mode__S_IWOTH},
	{S_IROTH, chmod_mode__S_IROTH},
	{S_IXGRP, chmod_mode__S_IXGRP},
	{S_IWGRP, chmod_mode__S_IWGRP},
	{S_IRGRP, chmod_mode__S_IRGRP},
	{S_IXUSR, chmod_mode__S_IXUSR},
	{S_IWUSR, chmod_mode__S_IWUSR},
	{S_IRUSR, chmod_mode__S_IRUSR},
	{S_ISVTX, chmod_mode__S_ISVTX},
	{S_ISGID, chmod_mode__S_ISGID},
	{S_ISUID, chmod_mode__S_ISUID},
	{S_IFDIR | 0755, 0755},
	{-1, 07777},
	{0x100000000 | 0640, 0640},
};

enum { MODES_COUNT = sizeof(modes) / sizeof(modes[0]) };

LIVE_TEST(chmod)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(chmod, paths[i].error, CALL(SYS_chmod, paths[i].path, 0644L),
			    TEXT(paths[i].shown), NUMBER(0644));
	for (int i = 0; i < MODES_COUNT; i++)
		expect_call(chmod, 0, CALL(SYS_chmod, "file", modes[i].native), TEXT("file"),
			    NUMBER(modes[i].shown));
}

LIVE_TEST(fchmod)
{
	int fd;

	fixture_file("file", 1);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	for (int i = 0; i < MODES_COUNT; i++)
		expect_call(fchmod, 0, CALL(SYS_fchmod, fd, modes[i].native), NUMBER(fd),
			    NUMBER(modes[i].shown));
	expect_call(fchmod, 0, CALL(SYS_fchmod, 0x100000000L + fd, 0600L), NUMBER(fd),
		    NUMBER(0600));
	expect_call(fchmod, -EBADF, CALL(SYS_fchmod, NO_FD, 0600L), NUMBER(NO_FD), NUMBER(0600));
	expect_call(fchmod, -EBADF, CALL(SYS_fchmod, -1L, 0600L), NUMBER(-1), NUMBER(0600));
	close(fd);
}

LIVE_TEST(fchmodat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	require(directory > 0);
	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(fchmodat, paths[i].error,
			    CALL(SYS_fchmodat, AT_FDCWD, paths[i].path, 0644L), NUMBER(AT_FDCWD),
			    TEXT(paths[i].shown), NUMBER(0644));
	for (int i = 0; i < MODES_COUNT; i++)
		expect_call(fchmodat, 0, CALL(SYS_fchmodat, directory, "file", modes[i].native),
			    NUMBER(directory), TEXT("file"), NUMBER(modes[i].shown));
	expect_call(fchmodat, -EBADF, CALL(SYS_fchmodat, NO_FD, "file", 0600L), NUMBER(NO_FD),
		    TEXT("file"), NUMBER(0600));
	close(directory);
}
