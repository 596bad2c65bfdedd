/* SPDX-License-Identifier: MIT */
/* 32-bit programs: calls that only they have, and that have no event of their own. */
#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

#ifdef __x86_64__

enum { NR_WAITPID = 7, NR_SIGNAL = 48, NR_SIGPENDING = 73, NR_OLDUNAME = 109 };

/* There is no such call on 64 bits, and so no number. */
static void check(const char *name)
{
	const struct event *ev = live_next(EVENT_syscall);

	expect_i64(ev, syscall__ID, syscall_code_find(name));
	expect_absent(ev, syscall__nativeID);
}

LIVE_TEST(int80_only)
{
	require(int80_call(NR_WAITPID, 0x7ffffff0, 0, 0, 0, 0, 0) == -ECHILD);
	check("waitpid");
	require(int80_call(NR_SIGNAL, 77, 0, 0, 0, 0, 0) == -EINVAL);
	check("signal");
	require(int80_call(NR_SIGPENDING, 0, 0, 0, 0, 0, 0) == -EFAULT);
	check("sigpending");
	require(int80_call(NR_OLDUNAME, 0, 0, 0, 0, 0, 0) == -EFAULT);
	check("olduname");
}

#endif
