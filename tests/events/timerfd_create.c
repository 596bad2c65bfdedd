/* SPDX-License-Identifier: MIT */
/* timerfd_create: clocks and flags, known and unknown ones. */
#include <sys/timerfd.h>
#include <time.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long clock, long flags, bool works, int64_t shown)
{
	long ret = CALL(SYS_timerfd_create, clock, flags);
	const struct event *ev = live_next(EVENT_timerfd_create);

	require(works ? ret >= 0 : ret == -EINVAL);
	expect_i64(ev, timerfd_create__res, ret);
	expect_i64(ev, timerfd_create__clockid, (uint8_t)clock);
	expect_i64(ev, timerfd_create__flags, shown);
	if (works)
		close((int)ret);
}

LIVE_TEST(timerfd_create)
{
	check(CLOCK_REALTIME, 0, true, 0);
	check(CLOCK_MONOTONIC, TFD_NONBLOCK, true, file_flags__O_NONBLOCK);
	check(CLOCK_BOOTTIME, TFD_CLOEXEC, true, 0);
	check(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC, true, file_flags__O_NONBLOCK);
	check(55, 0, false, 0);
	check(0x137, TFD_NONBLOCK, false, file_flags__O_NONBLOCK);
	check(CLOCK_MONOTONIC, -1, false, 0);
}
