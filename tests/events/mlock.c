/* SPDX-License-Identifier: MIT */
/* mlock, mlock2, munlock, mlockall, munlockall: locked memory. */
#include <sys/mman.h>

#include "harness/fixture.h"
#include "harness/live.h"

_Static_assert((int)mlock__len == munlock__len, "the two have their parameters in common");

static void check_range(unsigned int event, long number, uint64_t addr, uint64_t len, long res)
{
	const struct event *ev;

	require(CALL(number, addr, len) == res);
	ev = live_next(event);
	expect_i64(ev, mlock__res, res);
	expect_i64(ev, mlock__addr, (int64_t)addr);
	expect_i64(ev, mlock__len, (int64_t)len);
}

static void check_ranges(unsigned int event, long number)
{
	uint64_t page = (uint64_t)fixture_shared(4096);

	check_range(event, number, page, 4096, 0);
	check_range(event, number, page + 7, 1, 0);
	check_range(event, number, 4096, 100, -ENOMEM);
	check_range(event, number, UINT64_MAX - 4095, 4097, -EINVAL);
	check_range(event, number, 0, 0, 0);
}

LIVE_TEST(mlock)
{
	check_ranges(EVENT_mlock, SYS_mlock);
}

LIVE_TEST(munlock)
{
	check_ranges(EVENT_munlock, SYS_munlock);
}

static void check_mlock2(uint64_t addr, uint64_t len, long flags, long res, uint32_t stored)
{
	const struct event *ev;

	require(CALL(SYS_mlock2, addr, len, flags) == res);
	ev = live_next(EVENT_mlock2);
	expect_i64(ev, mlock2__res, res);
	expect_i64(ev, mlock2__addr, (int64_t)addr);
	expect_i64(ev, mlock2__len, (int64_t)len);
	expect_i64(ev, mlock2__flags, stored);
}

LIVE_TEST(mlock2)
{
	uint64_t page = (uint64_t)fixture_shared(4096);

	check_mlock2(page, 4096, 0, 0, 0);
	check_mlock2(page, 4096, MLOCK_ONFAULT, 0, mlock2_flags__MLOCK_ONFAULT);
	check_mlock2(page, 4096, -1, -EINVAL, mlock2_flags__MLOCK_ONFAULT);
	check_mlock2(page, 4096, -2, -EINVAL, 0);
	check_mlock2(16, 1, 0, -ENOMEM, 0);
}

static void expect_mlockall(long res, uint32_t stored)
{
	const struct event *ev = live_next(EVENT_mlockall);

	expect_i64(ev, mlockall__res, res);
	expect_i64(ev, mlockall__flags, stored);
}

/* Existing memory is not locked: the rings of the capture are large. */
static const struct {
	long flags, res;
	uint32_t stored;
} locks[] = {
	{MCL_FUTURE | MCL_ONFAULT, 0, mlockall_flags__MCL_FUTURE | mlockall_flags__MCL_ONFAULT},
	{MCL_ONFAULT, -EINVAL, mlockall_flags__MCL_ONFAULT},
	{0, -EINVAL, 0},
	{-1, -EINVAL, 7},
	{~7L, -EINVAL, 0},
};

enum { LOCKS = sizeof(locks) / sizeof(locks[0]) };

LIVE_TEST(mlockall)
{
	for (int i = 0; i < LOCKS; i++)
		require(CALL(SYS_mlockall, locks[i].flags) == locks[i].res);
	require(CALL(SYS_munlockall) == 0);
	for (int i = 0; i < LOCKS; i++)
		expect_mlockall(locks[i].res, locks[i].stored);
}

LIVE_TEST(munlockall)
{
	require(CALL(SYS_munlockall) == 0);
	expect_i64(live_next(EVENT_munlockall), munlockall__res, 0);
}
