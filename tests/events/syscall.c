/* SPDX-License-Identifier: MIT */
/* The generic event: calls that have none of their own, by both their numbers. */
#include "harness/fixture.h"
#include "harness/live.h"

/* The number of the .scap world, that of x86_64. */
static void check(int64_t code, int64_t native)
{
	const struct event *ev = live_next_syscall((unsigned int)code);

	expect_i64(ev, syscall__ID, code);
	expect_i64(ev, syscall__nativeID, native);
}

LIVE_TEST(syscall)
{
	require(CALL(SYS_ftruncate, NO_FD, 0) == -EBADF);
	check(58, 77);
	require(CALL(SYS_sched_getparam, -1, NULL) == -EINVAL);
	check(96, 143);
	require(CALL(SYS_mincore, 1, 1, NULL) == -EINVAL);
	check(138, 27);
	CALL(462, 1, 0, 0);
	check(442, 462);
}
