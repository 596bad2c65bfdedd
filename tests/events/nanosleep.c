/* SPDX-License-Identifier: MIT */
/* nanosleep: valid and invalid times. */
#include <time.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(const struct timespec *interval, long res, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_nanosleep, interval, NULL) == res);
	ev = live_next(EVENT_nanosleep);
	expect_i64(ev, nanosleep__res, res);
	expect_i64(ev, nanosleep__interval, shown);
}

LIVE_TEST(nanosleep)
{
	static const struct timespec no_time, short_time = {0, 1000}, too_many_ns = {3, 2000000000},
					      negative = {-1, 0}, negative_ns = {0, -1};

	check(fixture_edge(&short_time, sizeof(short_time)), 0, 1000);
	check(&no_time, 0, 0);
	check(&too_many_ns, -EINVAL, 5000000000);
	check(&negative, -EINVAL, -1000000000);
	check(&negative_ns, -EINVAL, -1);
	check(UNREADABLE, -EFAULT, 0);
	check(NULL, -EFAULT, 0);
}
