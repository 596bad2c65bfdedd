/* SPDX-License-Identifier: MIT */
/* close_range: ranges as they were given, flags, and failures. */
#include "harness/fixture.h"
#include "harness/live.h"

enum { UNSHARE = 2, CLOEXEC = 4, FIRST = 6000 };

static void check(long first, long last, long flags, long ret)
{
	const struct event *ev;

	require(CALL(SYS_close_range, first, last, flags) == ret);
	ev = live_next(EVENT_close_range);
	expect_i64(ev, close_range__res, ret);
	expect_i64(ev, close_range__first, (uint32_t)first);
	expect_i64(ev, close_range__last, (uint32_t)last);
	expect_i64(ev, close_range__flags, flags & (UNSHARE | CLOEXEC));
}

LIVE_TEST(close_range)
{
	check(FIRST, FIRST, 0, 0);
	check(FIRST, 0xffffffff, 0, 0);
	check(FIRST, -1, CLOEXEC, 0);
	check(FIRST, FIRST + 1, UNSHARE | CLOEXEC, 0);
	check(FIRST, FIRST - 1, 0, -EINVAL);
	check(FIRST, FIRST, 1, -EINVAL);
	check(FIRST, FIRST, -1, -EINVAL);
}
