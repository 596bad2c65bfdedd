/* SPDX-License-Identifier: MIT */
/* mprotect: protections of mapped and unmapped memory. */
#include <sys/mman.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(uint64_t addr, uint64_t length, long prot, long res, uint32_t stored)
{
	const struct event *ev;

	require(CALL(SYS_mprotect, addr, length, prot) == res);
	ev = live_next(EVENT_mprotect);
	expect_i64(ev, mprotect__res, res);
	expect_i64(ev, mprotect__addr, (int64_t)addr);
	expect_i64(ev, mprotect__length, (int64_t)length);
	expect_i64(ev, mprotect__prot, stored);
}

LIVE_TEST(mprotect)
{
	uint64_t page = (uint64_t)fixture_shared(4096);

	live_skip();
	check(page, 4096, PROT_NONE, 0, 0);
	check(page, 4096, PROT_READ | PROT_WRITE, 0,
	      prot_flags__PROT_READ | prot_flags__PROT_WRITE);
	check(page, 0, PROT_EXEC, 0, prot_flags__PROT_EXEC);
	check(page + 1, 4096, PROT_READ, -EINVAL, prot_flags__PROT_READ);
	check(4096, 4096, PROT_WRITE, -ENOMEM, prot_flags__PROT_WRITE);
	check(page, UINT64_MAX, 0, -ENOMEM, 0);
	/* Both ways to grow at once are rejected. */
	check(page, 4096, 0x03000008, -EINVAL,
	      prot_flags__PROT_SEM | prot_flags__PROT_GROWSDOWN | prot_flags__PROT_GROWSUP);
	check(page, 4096, ~0L, -EINVAL, ALL_PROT_FLAGS);
}
