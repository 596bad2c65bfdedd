/* SPDX-License-Identifier: MIT */
/* pipe2: the two descriptors and their inode, flags, and memory that cannot be written. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check_made(long flags, int64_t shown)
{
	const struct event *ev;
	struct stat status;
	int fds[2];

	require(CALL(SYS_pipe2, fds, flags) == 0 && fstat(fds[0], &status) == 0);
	close(fds[0]);
	close(fds[1]);
	ev = live_next(EVENT_pipe2);
	expect_i64(ev, pipe2__res, 0);
	expect_i64(ev, pipe2__fd1, fds[0]);
	expect_i64(ev, pipe2__fd2, fds[1]);
	expect_i64(ev, pipe2__ino, (int64_t)status.st_ino);
	expect_i64(ev, pipe2__flags, shown);
}

/* What stood in the caller's memory is shown when that can be read. */
static void check_failed(int *fds, long flags, long ret, int first, int second, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_pipe2, fds, flags) == ret);
	ev = live_next(EVENT_pipe2);
	expect_i64(ev, pipe2__res, ret);
	expect_i64(ev, pipe2__fd1, first);
	expect_i64(ev, pipe2__fd2, second);
	expect_i64(ev, pipe2__ino, 0);
	expect_i64(ev, pipe2__flags, shown);
}

LIVE_TEST(pipe2)
{
	int fds[2] = {123, -45};

	check_made(0, 0);
	check_made(O_CLOEXEC, file_flags__O_CLOEXEC);
	check_made(O_NONBLOCK, file_flags__O_NONBLOCK);
	check_made(O_DIRECT, file_flags__O_DIRECT);
	check_made(O_CLOEXEC | O_NONBLOCK | O_DIRECT,
		   file_flags__O_CLOEXEC | file_flags__O_NONBLOCK | file_flags__O_DIRECT);
	check_failed(UNREADABLE, O_DIRECT, -EFAULT, -1, -1, file_flags__O_DIRECT);
	check_failed(NULL, 0, -EFAULT, -1, -1, 0);
	check_failed(fds, O_CREAT | O_CLOEXEC, -EINVAL, 123, -45, file_flags__O_CLOEXEC);
	check_failed(fds, 0xffffffffL, -EINVAL, 123, -45, 0);
}
