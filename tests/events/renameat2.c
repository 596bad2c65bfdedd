/* SPDX-License-Identifier: MIT */
/* renameat2: two paths, each of all kinds, where they start from, the flags as given. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long from_fd, const char *from, long to_fd, const char *to, long flags, long ret)
{
	const struct event *ev;

	require(CALL(SYS_renameat2, from_fd, from, to_fd, to, flags) == ret);
	ev = live_next(EVENT_renameat2);
	expect_i64(ev, renameat2__res, ret);
	expect_i64(ev, renameat2__olddirfd, from_fd);
	expect_string(ev, renameat2__oldpath, from);
	expect_i64(ev, renameat2__newdirfd, to_fd);
	expect_string(ev, renameat2__newpath, to);
	expect_i64(ev, renameat2__flags, flags);
}

LIVE_TEST(renameat2)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	fixture_file("other", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_renameat2, directory, paths[i].path, AT_FDCWD, "to", 0) ==
			paths[i].error);
		ev = live_next(EVENT_renameat2);
		expect_i64(ev, renameat2__res, paths[i].error);
		expect_i64(ev, renameat2__olddirfd, directory);
		expect_path(ev, renameat2__oldpath, &paths[i]);
		expect_i64(ev, renameat2__newdirfd, AT_FDCWD);
		expect_string(ev, renameat2__newpath, "to");
		expect_i64(ev, renameat2__flags, 0);

		require(CALL(SYS_renameat2, AT_FDCWD, "file", directory, paths[i].path, 0) ==
			paths[i].error);
		ev = live_next(EVENT_renameat2);
		expect_i64(ev, renameat2__res, paths[i].error);
		expect_i64(ev, renameat2__olddirfd, AT_FDCWD);
		expect_string(ev, renameat2__oldpath, "file");
		expect_i64(ev, renameat2__newdirfd, directory);
		expect_path(ev, renameat2__newpath, &paths[i]);
		expect_i64(ev, renameat2__flags, 0);
	}
	check(directory, "file", AT_FDCWD, "other", renameat2_flags__RENAME_NOREPLACE, -EEXIST);
	check(directory, "file", AT_FDCWD, "other", renameat2_flags__RENAME_EXCHANGE, 0);
	check(NO_FD, "file", -1, "other", renameat2_flags__RENAME_WHITEOUT, -EBADF);
	check(AT_FDCWD, "file", AT_FDCWD, "other", 0xdeadbeef, -EINVAL);
	check(AT_FDCWD, "file", AT_FDCWD, "moved", 0, 0);
	close(directory);
}
