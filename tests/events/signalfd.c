/* SPDX-License-Identifier: MIT */
/* signalfd, signalfd4: new ones, others for an old one, wrong descriptors and flags. */
#include <signal.h>
#include <sys/signalfd.h>

#include "harness/fixture.h"
#include "harness/live.h"

static const uint64_t mask = 1ULL << (SIGUSR1 - 1);

static long check_signalfd(long fd, const void *signals, long error)
{
	long ret = CALL(SYS_signalfd, fd, signals, sizeof(mask));
	const struct event *ev = live_next(EVENT_signalfd);

	require(error ? ret == error : ret >= 0);
	expect_i64(ev, signalfd__res, ret);
	expect_i64(ev, signalfd__fd, (int)fd);
	expect_i64(ev, signalfd__mask, 0);
	expect_i64(ev, signalfd__flags, 0);
	return ret;
}

LIVE_TEST(signalfd)
{
	long fd = check_signalfd(-1, &mask, 0);

	require(check_signalfd(fd, &mask, 0) == fd);
	check_signalfd(fd, UNREADABLE, -EFAULT);
	check_signalfd(NO_FD, &mask, -EBADF);
	check_signalfd(0xfffffff0L, &mask, -EBADF);
	close((int)fd);
	check_signalfd(STDIN_FILENO, &mask, -EINVAL);
}

static long check_signalfd4(long fd, long flags, long error, int64_t shown)
{
	long ret = CALL(SYS_signalfd4, fd, &mask, sizeof(mask), flags);
	const struct event *ev = live_next(EVENT_signalfd4);

	require(error ? ret == error : ret >= 0);
	expect_i64(ev, signalfd4__res, ret);
	expect_i64(ev, signalfd4__flags, shown);
	expect_i64(ev, signalfd4__fd, (int)fd);
	expect_i64(ev, signalfd4__mask, 0);
	return ret;
}

LIVE_TEST(signalfd4)
{
	long fd = check_signalfd4(-1, SFD_NONBLOCK, 0, file_flags__O_NONBLOCK);

	require(check_signalfd4(fd, 0, 0, 0) == fd);
	close((int)check_signalfd4(0xffffffffL, SFD_NONBLOCK | SFD_CLOEXEC, 0,
				   file_flags__O_NONBLOCK | file_flags__O_CLOEXEC));
	check_signalfd4(NO_FD, SFD_CLOEXEC, -EBADF, file_flags__O_CLOEXEC);
	check_signalfd4(fd, SFD_CLOEXEC | 1, -EINVAL, file_flags__O_CLOEXEC);
	check_signalfd4(fd, -1, -EINVAL, 0);
	close((int)fd);
}
