/* SPDX-License-Identifier: MIT */
/* close: descriptors that are open and not. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_close, fd) == ret);
	ev = live_next(EVENT_close);
	expect_i64(ev, close__res, ret);
	expect_i64(ev, close__fd, shown);
}

LIVE_TEST(close)
{
	int fd = dup(1);

	require(fd > 0);
	check(fd, 0, fd);
	check(fd, -EBADF, fd);
	check(-1, -EBADF, -1);
	check(0x123456789L, -EBADF, 0x23456789);
	check(0xffffffffL, -EBADF, -1);
}
