/* SPDX-License-Identifier: MIT */
/* Futexes by their newer calls, and what the kernel keeps of each thread. */
#include <time.h>

#include "harness/calls.h"
#include "harness/new_calls.h"

enum { SIZE_U32 = 2, PRIVATE = 0x80, NO_PID = 0x7fffffff };

struct futex {
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

#define NO_FUTEX NOTHING, NOTHING, NOTHING

static uint32_t word = 5;

LIVE_TEST(futex_waitv)
{
	struct futex two[] = {{6, (uint64_t)AT(&word), SIZE_U32 | PRIVATE, 0}, {7, 8, 9, 0}};
	struct timespec past = {1, 2};

	require(CHECK(futex_waitv, (SYS_futex_waitv, two, 1, 0, &past, CLOCK_MONOTONIC), 6,
		      AT(&word), SIZE_U32 | PRIVATE, NO_FUTEX, 1, 0, 1000000002,
		      CLOCK_MONOTONIC) < 0);
	require(CHECK(futex_waitv, (SYS_futex_waitv, two, 2, 77, NULL, 5), 6, AT(&word),
		      SIZE_U32 | PRIVATE, 7, 8, 9, 2, 77, NOTHING, 5) < 0);
	require(CHECK(futex_waitv, (SYS_futex_waitv, UNREADABLE, 1, 0, NULL, 0), NO_FUTEX, NO_FUTEX,
		      1, 0, NOTHING, 0) < 0);
	require(CHECK(futex_waitv, (SYS_futex_waitv, NULL, 0, 0, UNREADABLE, 0), NO_FUTEX, NO_FUTEX,
		      0, 0, NOTHING, 0) < 0);
}

LIVE_TEST(futex_wake)
{
	CHECK(futex_wake, (SYS_futex_wake, &word, -1L, 3, SIZE_U32 | PRIVATE), AT(&word), -1L, 3,
	      SIZE_U32 | PRIVATE);
	require(CHECK(futex_wake, (SYS_futex_wake, 1, 0, -1, 0x70), 1, 0, -1, 0x70) < 0);
}

LIVE_TEST(futex_wait)
{
	struct timespec past = {1, 2};

	require(CHECK(futex_wait, (SYS_futex_wait, &word, 5, 1, SIZE_U32, &past, CLOCK_REALTIME),
		      AT(&word), 5, 1, SIZE_U32, 1000000002, CLOCK_REALTIME) < 0);
	require(CHECK(futex_wait, (SYS_futex_wait, &word, 0x123456789, -1L, 0x70, NULL, -1),
		      AT(&word), 0x123456789, -1L, 0x70, NOTHING, -1) < 0);
}

LIVE_TEST(futex_requeue)
{
	struct futex two[] = {{5, (uint64_t)AT(&word), SIZE_U32 | PRIVATE, 0},
			      {0, (uint64_t)AT(&word) + 4, SIZE_U32 | PRIVATE, 0}};

	CHECK(futex_requeue, (SYS_futex_requeue, two, 0, 1, 2), 5, AT(&word), SIZE_U32 | PRIVATE, 0,
	      AT(&word) + 4, SIZE_U32 | PRIVATE, 0, 1, 2);
	require(CHECK(futex_requeue, (SYS_futex_requeue, NULL, 9, -1, -2), NO_FUTEX, NO_FUTEX, 9,
		      -1, -2) < 0);
}

LIVE_TEST(get_robust_list)
{
	uint64_t head, len;

	require(CHECK(get_robust_list, (SYS_get_robust_list, 0, &head, &len), 0, head, len) == 0);
	require(CHECK(get_robust_list, (SYS_get_robust_list, NO_PID, &head, &len), NO_PID, NOTHING,
		      NOTHING) == -ESRCH);
	require(CHECK(get_robust_list, (SYS_get_robust_list, 0, UNREADABLE, &len), 0, NOTHING,
		      NOTHING) == -EFAULT);
}

LIVE_TEST(set_robust_list)
{
	uint64_t head, len;

	require(CALL(SYS_get_robust_list, 0, &head, &len) == 0);
	require(CHECK(set_robust_list, (SYS_set_robust_list, head, len), head, len) == 0);
	require(CHECK(set_robust_list, (SYS_set_robust_list, UNREADABLE, 0x123456789),
		      AT(UNREADABLE), 0x123456789) == -EINVAL);
}

static int set_address(void *arg)
{
	CALL(SYS_set_tid_address, arg);
	return 0;
}

/* By a child, whose own end then clears the word. */
LIVE_TEST(set_tid_address)
{
	pid_t child = fixture_child(set_address, &word);

	fixture_wait(child);
	expect_values(live_next_of(EVENT_set_tid_address, child), child, AT(&word));
}

LIVE_TEST(restart_syscall)
{
	require(CHECK(restart_syscall, (SYS_restart_syscall)) == -EINTR);
}

LIVE_TEST(rseq)
{
	require(CHECK(rseq, (SYS_rseq, 16, 32, 0x77, 0x53053053), 16, 32, 0x77, 0x53053053) < 0);
	require(CHECK(rseq, (SYS_rseq, NULL, -1, 0, -1), 0, -1, 0, -1) < 0);
}

LIVE_TEST(rseq_slice_yield)
{
	CHECK(rseq_slice_yield, (SYS_rseq_slice_yield));
}

LIVE_TEST(membarrier)
{
	require(CHECK(membarrier, (SYS_membarrier, 0, 0, 0), 0, 0, 0) >= 0);
	require(CHECK(membarrier, (SYS_membarrier, 0x7777, 1, -1), 0x7777, 1, -1) == -EINVAL);
	require(CHECK(membarrier, (SYS_membarrier, 1 << 3, 6, 0x700000003), 1 << 3, 6, 3) ==
		-EINVAL);
}
