/* SPDX-License-Identifier: MIT */
/* pidfd_open, pidfd_getfd: for the calling process and for none, wrong descriptors and flags. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static long check_open(long pid, long flags, long error, int64_t shown)
{
	long ret = CALL(SYS_pidfd_open, pid, flags);
	const struct event *ev = live_next(EVENT_pidfd_open);

	require(error ? ret == error : ret >= 0);
	expect_i64(ev, pidfd_open__fd, ret);
	expect_i64(ev, pidfd_open__pid, (int)pid);
	expect_i64(ev, pidfd_open__flags, shown);
	return ret;
}

LIVE_TEST(pidfd_open)
{
	close((int)check_open(getpid(), 0, 0, 0));
	close((int)check_open(getpid() | 0x100000000L, O_NONBLOCK, 0,
			      pidfd_open_flags__PIDFD_NONBLOCK));
	check_open(0x7ffffff0, 0, -ESRCH, 0);
	check_open(-1, 0, -EINVAL, 0);
	check_open(getpid(), O_NONBLOCK | 1, -EINVAL, pidfd_open_flags__PIDFD_NONBLOCK);
	check_open(getpid(), O_CLOEXEC, -EINVAL, 0);
}

static long check_getfd(long pidfd, long fd, long flags, long error)
{
	long ret = CALL(SYS_pidfd_getfd, pidfd, fd, flags);
	const struct event *ev = live_next(EVENT_pidfd_getfd);

	require(error ? ret == error : ret >= 0);
	expect_i64(ev, pidfd_getfd__fd, ret);
	expect_i64(ev, pidfd_getfd__pid_fd, (int)pidfd);
	expect_i64(ev, pidfd_getfd__target_fd, (int)fd);
	expect_i64(ev, pidfd_getfd__flags, (uint32_t)flags);
	return ret;
}

LIVE_TEST(pidfd_getfd)
{
	long pidfd = CALL(SYS_pidfd_open, getpid(), 0);

	require(pidfd >= 0);
	close((int)check_getfd(pidfd, STDIN_FILENO, 0, 0));
	check_getfd(pidfd, NO_FD, 0, -EBADF);
	check_getfd(NO_FD, STDIN_FILENO, 0, -EBADF);
	check_getfd(0xffffffffL, 0xfffffffeL, 0, -EBADF);
	check_getfd(pidfd, STDIN_FILENO, 0xf00000005L, -EINVAL);
	close((int)pidfd);
}
