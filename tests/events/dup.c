/* SPDX-License-Identifier: MIT */
/* dup: a copy, and descriptors that are not open. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long ret, int64_t shown)
{
	const struct event *ev = live_next(EVENT_dup);

	expect_i64(ev, dup__res, ret);
	expect_i64(ev, dup__oldfd, shown);
}

LIVE_TEST(dup)
{
	long copy = CALL(SYS_dup, 1);

	require(copy > 0 && close((int)copy) == 0);
	check(copy, 1);
	require(CALL(SYS_dup, NO_FD) == -EBADF);
	check(-EBADF, NO_FD);
	require(CALL(SYS_dup, 0xfffffffeL) == -EBADF);
	check(-EBADF, -2);
}
