/* SPDX-License-Identifier: MIT */
/* eventfd, eventfd2: the count to start with, flags, and those that are rejected. */
#include <sys/eventfd.h>

#include "harness/fixture.h"
#include "harness/live.h"

static long close_made(long fd)
{
	if (fd >= 0)
		close((int)fd);
	return fd;
}

LIVE_TEST(eventfd)
{
	static const long values[] = {0, 5, 0xffffffffL, 0x100000007L, -1};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		long fd = close_made(CALL(SYS_eventfd, values[i]));
		const struct event *ev = live_next(EVENT_eventfd);

		require(fd >= 0);
		expect_i64(ev, eventfd__res, fd);
		expect_i64(ev, eventfd__initval, (uint32_t)values[i]);
		expect_i64(ev, eventfd__flags, 0);
	}
}

static void check_eventfd2(long initval, long flags, bool works, int64_t shown)
{
	long ret = close_made(CALL(SYS_eventfd2, initval, flags));
	const struct event *ev = live_next(EVENT_eventfd2);

	require(works ? ret >= 0 : ret == -EINVAL);
	expect_i64(ev, eventfd2__res, ret);
	expect_i64(ev, eventfd2__flags, shown);
	expect_i64(ev, eventfd2__initval, (uint32_t)initval);
}

LIVE_TEST(eventfd2)
{
	check_eventfd2(9, 0, true, 0);
	check_eventfd2(0x100000007L, EFD_NONBLOCK, true, file_flags__O_NONBLOCK);
	check_eventfd2(-1, EFD_CLOEXEC | EFD_SEMAPHORE, true, file_flags__O_CLOEXEC);
	check_eventfd2(0, EFD_NONBLOCK | EFD_CLOEXEC, true,
		       file_flags__O_NONBLOCK | file_flags__O_CLOEXEC);
	check_eventfd2(3, EFD_CLOEXEC | 0x100, false, file_flags__O_CLOEXEC);
	check_eventfd2(3, 0xffffffffL, false, 0);
}
