/* SPDX-License-Identifier: MIT */
/* seccomp: operations and flags as they are, rejected ones among them. */
#include <linux/seccomp.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long operation, long flags, const void *arg, long ret)
{
	const struct event *ev;

	require(CALL(SYS_seccomp, operation, flags, arg) == ret);
	ev = live_next(EVENT_seccomp);
	expect_i64(ev, seccomp__res, ret);
	expect_i64(ev, seccomp__op, (uint32_t)operation);
	expect_i64(ev, seccomp__flags, (uint32_t)flags);
}

LIVE_TEST(seccomp)
{
	uint32_t action = SECCOMP_RET_KILL_THREAD;

	check(SECCOMP_GET_ACTION_AVAIL, 0, &action, 0);
	check(SECCOMP_GET_ACTION_AVAIL | 0x100000000L, 0, &action, 0);
	check(SECCOMP_GET_ACTION_AVAIL, 0, UNREADABLE, -EFAULT);
	check(SECCOMP_SET_MODE_STRICT, 1, NULL, -EINVAL);
	check(SECCOMP_SET_MODE_FILTER, -1, NULL, -EINVAL);
	check(77, 0x500000005L, NULL, -EINVAL);
}
