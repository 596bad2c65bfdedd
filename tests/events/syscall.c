/* SPDX-License-Identifier: MIT */
/* The generic event: calls newer than the table, known only by the kernel's number. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(int64_t number)
{
	const struct event *ev = live_next(EVENT_syscall);

	expect_i64(ev, syscall__ID, SC_unknown);
	expect_i64(ev, syscall__nativeID, number);
}

LIVE_TEST(syscall)
{
	require(CALL(500, 1, 2, 3) == -ENOSYS);
	check(500);
	require(CALL(SYSCALL_NR_MAX - 1) == -ENOSYS);
	check(SYSCALL_NR_MAX - 1);
}
