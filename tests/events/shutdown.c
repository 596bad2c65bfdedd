/* SPDX-License-Identifier: MIT */
/* shutdown: its three directions, unknown ones, failures. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long how, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_shutdown, fd, how) == ret);
	ev = live_next(EVENT_shutdown);
	expect_i64(ev, shutdown__res, ret);
	expect_i64(ev, shutdown__fd, (int)fd);
	expect_i64(ev, shutdown__how, shown);
}

LIVE_TEST(shutdown)
{
	int fds[2];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	check(fds[0], SHUT_RD, 0, shutdown_how__SHUT_RD);
	check(fds[0], SHUT_WR, 0, shutdown_how__SHUT_WR);
	check(fds[1], SHUT_RDWR, 0, shutdown_how__SHUT_RDWR);
	check(fds[0], 3, -EINVAL, 0xff);
	check(fds[0], -1, -EINVAL, 0xff);
	check(0, SHUT_WR, -ENOTSOCK, shutdown_how__SHUT_WR);
	check(NO_FD, SHUT_RD, -EBADF, shutdown_how__SHUT_RD);
	close(fds[0]);
	close(fds[1]);
}
