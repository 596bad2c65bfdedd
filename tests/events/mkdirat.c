/* SPDX-License-Identifier: MIT */
/* mkdirat: paths of all kinds, where they start from, the mode as it was given. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long dirfd, const char *path, long mode, long ret)
{
	const struct event *ev;

	require(CALL(SYS_mkdirat, dirfd, path, mode) == ret);
	ev = live_next(EVENT_mkdirat);
	expect_i64(ev, mkdirat__res, ret);
	expect_i64(ev, mkdirat__dirfd, dirfd);
	expect_string(ev, mkdirat__path, path);
	expect_i64(ev, mkdirat__mode, (uint16_t)mode);
}

LIVE_TEST(mkdirat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_mkdirat, AT_FDCWD, paths[i].path, 0700) == paths[i].error);
		ev = live_next(EVENT_mkdirat);
		expect_i64(ev, mkdirat__res, paths[i].error);
		expect_i64(ev, mkdirat__dirfd, AT_FDCWD);
		expect_path(ev, mkdirat__path, &paths[i]);
		expect_i64(ev, mkdirat__mode, 0700);
	}
	require(directory > 0);
	check(directory, "made", 02755, 0);
	check(AT_FDCWD, "made", 0x80000001, -EEXIST);
	check(NO_FD, "other", 0755, -EBADF);
	close(directory);
}
