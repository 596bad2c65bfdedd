/* SPDX-License-Identifier: MIT */
/* futex: operations that end at once. */
#include <linux/futex.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(const void *addr, long op, long val, long res, uint16_t stored)
{
	const struct event *ev;

	require(CALL(SYS_futex, addr, op, val, NULL, NULL, 0L) == res);
	ev = live_next(EVENT_futex);
	expect_i64(ev, futex__res, res);
	expect_i64(ev, futex__addr, (int64_t)addr);
	expect_i64(ev, futex__op, stored);
	expect_i64(ev, futex__val, (uint32_t)val);
}

LIVE_TEST(futex)
{
	uint32_t *word = fixture_shared(8);

	*word = 1;
	check(word, FUTEX_WAIT, 2, -EAGAIN, 0);
	check(word, FUTEX_WAKE, 5, 0, futex_operations__FUTEX_WAKE);
	check(word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT64_MIN, 0,
	      futex_operations__FUTEX_WAKE | futex_operations__FUTEX_PRIVATE_FLAG);
	check(word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 1, -EINVAL,
	      futex_operations__FUTEX_WAIT_BITSET | futex_operations__FUTEX_CLOCK_REALTIME);
	check(UNREADABLE, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 7, -EFAULT,
	      futex_operations__FUTEX_PRIVATE_FLAG);
	check((char *)word + 1, FUTEX_WAKE_OP, 9, -EINVAL, futex_operations__FUTEX_WAKE_OP);
	check(word, 99, -1, -ENOSYS, 0);
	check(word, 14 | FUTEX_PRIVATE_FLAG, 0, -ENOSYS, futex_operations__FUTEX_PRIVATE_FLAG);
	check(NULL, -1L, 0, -ENOSYS, 0x180);
}
