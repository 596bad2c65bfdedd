/* SPDX-License-Identifier: MIT */
/* renameat: two paths, each of all kinds, and where they start from. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long from_fd, const char *from, long to_fd, const char *to, long ret)
{
	const struct event *ev;

	require(CALL(SYS_renameat, from_fd, from, to_fd, to) == ret);
	ev = live_next(EVENT_renameat);
	expect_i64(ev, renameat__res, ret);
	expect_i64(ev, renameat__olddirfd, from_fd);
	expect_string(ev, renameat__oldpath, from);
	expect_i64(ev, renameat__newdirfd, to_fd);
	expect_string(ev, renameat__newpath, to);
}

LIVE_TEST(renameat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_renameat, directory, paths[i].path, AT_FDCWD, "to") ==
			paths[i].error);
		ev = live_next(EVENT_renameat);
		expect_i64(ev, renameat__res, paths[i].error);
		expect_i64(ev, renameat__olddirfd, directory);
		expect_path(ev, renameat__oldpath, &paths[i]);
		expect_i64(ev, renameat__newdirfd, AT_FDCWD);
		expect_string(ev, renameat__newpath, "to");

		require(CALL(SYS_renameat, AT_FDCWD, "file", directory, paths[i].path) ==
			paths[i].error);
		ev = live_next(EVENT_renameat);
		expect_i64(ev, renameat__res, paths[i].error);
		expect_i64(ev, renameat__olddirfd, AT_FDCWD);
		expect_string(ev, renameat__oldpath, "file");
		expect_i64(ev, renameat__newdirfd, directory);
		expect_path(ev, renameat__newpath, &paths[i]);
	}
	check(directory, "file", AT_FDCWD, "moved", 0);
	check(NO_FD, "moved", directory, "file", -EBADF);
	check(directory, "moved", -1, "file", -EBADF);
	close(directory);
}
