/* SPDX-License-Identifier: MIT */
/* fchdir: a directory, another file, a closed descriptor. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_fchdir, fd) == ret);
	ev = live_next(EVENT_fchdir);
	expect_i64(ev, fchdir__res, ret);
	expect_i64(ev, fchdir__fd, shown);
	fixture_expect_directory(ev, fchdir__cwd, ret);
}

LIVE_TEST(fchdir)
{
	int directory = open(".", O_RDONLY | O_DIRECTORY), file = open("/dev/null", O_RDONLY);

	require(directory > 0 && file > 0);
	check(directory, 0, directory);
	check(file, -ENOTDIR, file);
	check(NO_FD, -EBADF, NO_FD);
	check(-1, -EBADF, -1);
	check(0xffffff9cL, -EBADF, AT_FDCWD);
	close(directory);
	close(file);
}
