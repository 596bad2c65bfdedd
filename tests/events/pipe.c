/* SPDX-License-Identifier: MIT */
/* pipe: the two descriptors and their inode, and memory that cannot be written. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check_failed(void *fds)
{
	const struct event *ev;

	require(CALL(SYS_pipe, fds) == -EFAULT);
	ev = live_next(EVENT_pipe);
	expect_i64(ev, pipe__res, -EFAULT);
	expect_i64(ev, pipe__fd1, -1);
	expect_i64(ev, pipe__fd2, -1);
	expect_i64(ev, pipe__ino, 0);
}

LIVE_TEST(pipe)
{
	const struct event *ev;
	struct stat status;
	int fds[2];

	check_failed(NULL);
	check_failed(UNREADABLE);
	require(CALL(SYS_pipe, fds) == 0 && fstat(fds[0], &status) == 0);
	close(fds[0]);
	close(fds[1]);
	ev = live_next(EVENT_pipe);
	expect_i64(ev, pipe__res, 0);
	expect_i64(ev, pipe__fd1, fds[0]);
	expect_i64(ev, pipe__fd2, fds[1]);
	expect_i64(ev, pipe__ino, (int64_t)status.st_ino);
}
