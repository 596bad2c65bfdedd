/* SPDX-License-Identifier: MIT */
/* dup2: onto a free, an open and the same descriptor; descriptors that cannot be. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long from, long to, long ret)
{
	const struct event *ev;

	require(CALL(SYS_dup2, from, to) == ret);
	ev = live_next(EVENT_dup2);
	expect_i64(ev, dup2__res, ret);
	expect_i64(ev, dup2__oldfd, (int)from);
	expect_i64(ev, dup2__newfd, (int)to);
}

LIVE_TEST(dup2)
{
	check(1, 1000, 1000);
	check(2, 1000, 1000);
	check(1000, 1000, 1000);
	check(NO_FD, 1001, -EBADF);
	check(NO_FD, NO_FD, -EBADF);
	check(1, -7, -EBADF);
	check(0xffffffffL, 0x7fffffffL, -EBADF);
	close(1000);
}
