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

/* 582f1fb6b721 ("fs, close_range: add flag CLOSE_RANGE_CLOEXEC"), 5.11 */
static long cloexec_result(void)
{
	long ret = CALL(SYS_close_range, FIRST, FIRST, CLOEXEC);

	require(ret == 0 || ret == -EINVAL);
	live_skip();
	return ret;
}

LIVE_TEST(close_range)
{
	long cloexec = cloexec_result();

	check(FIRST, FIRST, 0, 0);
	check(FIRST, 0xffffffff, 0, 0);
	check(FIRST, -1, CLOEXEC, cloexec);
	check(FIRST, FIRST + 1, UNSHARE | CLOEXEC, cloexec);
	check(FIRST, FIRST - 1, 0, -EINVAL);
	check(FIRST, FIRST, 1, -EINVAL);
	check(FIRST, FIRST, -1, -EINVAL);
}
