/* SPDX-License-Identifier: MIT */
/* getrlimit, setrlimit, prlimit: limits asked for and changed. */
#include <sys/resource.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { OTHER_RESOURCE = 16, NOBODY = 0x7ffffff0 };

static void expect_getrlimit(int64_t res, uint64_t cur, uint64_t max, uint8_t resource)
{
	const struct event *ev = live_next(EVENT_getrlimit);

	expect_i64(ev, getrlimit__res, res);
	expect_i64(ev, getrlimit__cur, (int64_t)cur);
	expect_i64(ev, getrlimit__max, (int64_t)max);
	expect_i64(ev, getrlimit__resource, resource);
}

LIVE_TEST(getrlimit)
{
	for (long resource = 0; resource < OTHER_RESOURCE; resource++) {
		struct rlimit limit;

		require(CALL(SYS_getrlimit, resource, &limit) == 0);
		expect_getrlimit(0, limit.rlim_cur, limit.rlim_max, (uint8_t)resource);
	}
	require(CALL(SYS_getrlimit, OTHER_RESOURCE, UNREADABLE) == -EINVAL);
	expect_getrlimit(-EINVAL, UINT64_MAX, UINT64_MAX, rlimit_resources__RLIMIT_UNKNOWN);
	require(CALL(SYS_getrlimit, -1L, UNREADABLE) == -EINVAL);
	expect_getrlimit(-EINVAL, UINT64_MAX, UINT64_MAX, rlimit_resources__RLIMIT_UNKNOWN);
	require(CALL(SYS_getrlimit, RLIMIT_NOFILE, UNREADABLE) == -EFAULT);
	expect_getrlimit(-EFAULT, UINT64_MAX, UINT64_MAX, rlimit_resources__RLIMIT_NOFILE);
}

static void check_setrlimit(long resource, const struct rlimit *limit, long res, uint64_t cur,
			    uint64_t max, uint8_t stored)
{
	const struct event *ev;

	require(CALL(SYS_setrlimit, resource, limit) == res);
	ev = live_next(EVENT_setrlimit);
	expect_i64(ev, setrlimit__res, res);
	expect_i64(ev, setrlimit__cur, (int64_t)cur);
	expect_i64(ev, setrlimit__max, (int64_t)max);
	expect_i64(ev, setrlimit__resource, stored);
}

LIVE_TEST(setrlimit)
{
	const struct rlimit wrong = {300, 100}, none = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit before, limit = {100};

	require(getrlimit(RLIMIT_CORE, &before) == 0);
	limit.rlim_max = before.rlim_max;
	check_setrlimit(RLIMIT_CORE, fixture_edge(&limit, sizeof(limit)), 0, 100, before.rlim_max,
			rlimit_resources__RLIMIT_CORE);
	check_setrlimit(RLIMIT_CORE, &wrong, -EINVAL, 300, 100, rlimit_resources__RLIMIT_CORE);
	check_setrlimit(OTHER_RESOURCE, &none, -EINVAL, UINT64_MAX, UINT64_MAX,
			rlimit_resources__RLIMIT_UNKNOWN);
	check_setrlimit(0x100000000 + RLIMIT_CORE, &before, 0, before.rlim_cur, before.rlim_max,
			rlimit_resources__RLIMIT_CORE);
	check_setrlimit(RLIMIT_CPU, UNREADABLE, -EFAULT, 0, 0, rlimit_resources__RLIMIT_CPU);
	check_setrlimit(RLIMIT_AS, NULL, -EFAULT, 0, 0, rlimit_resources__RLIMIT_AS);
}

struct change {
	long pid, resource;
	const struct rlimit *given;
	struct rlimit *got;
	long res;
	struct rlimit shown_new, shown_old;
	uint8_t shown_resource;
};

static void check_prlimit(const struct change *change)
{
	const struct event *ev;

	require(CALL(SYS_prlimit64, change->pid, change->resource, change->given, change->got) ==
		change->res);
	ev = live_next(EVENT_prlimit);
	expect_i64(ev, prlimit__res, change->res);
	expect_i64(ev, prlimit__newcur, (int64_t)change->shown_new.rlim_cur);
	expect_i64(ev, prlimit__newmax, (int64_t)change->shown_new.rlim_max);
	expect_i64(ev, prlimit__oldcur, (int64_t)change->shown_old.rlim_cur);
	expect_i64(ev, prlimit__oldmax, (int64_t)change->shown_old.rlim_max);
	expect_i64(ev, prlimit__pid, (int32_t)change->pid);
	expect_i64(ev, prlimit__resource, change->shown_resource);
}

LIVE_TEST(prlimit)
{
	struct rlimit before, got, lowered = {50}, wrong = {70, 50};
	const struct rlimit none = {0, 0}, unknown = {RLIM_INFINITY, RLIM_INFINITY};

	require(getrlimit(RLIMIT_CORE, &before) == 0);
	lowered.rlim_max = before.rlim_max;
	live_skip();
	const struct change changes[] = {
		{0, RLIMIT_CORE, NULL, &got, 0, none, before, rlimit_resources__RLIMIT_CORE},
		{getpid(), RLIMIT_CORE, &lowered, &got, 0, lowered, before,
		 rlimit_resources__RLIMIT_CORE},
		{0, RLIMIT_CORE, &before, &got, 0, before, lowered,
		 rlimit_resources__RLIMIT_CORE},
		{0, RLIMIT_CORE, NULL, NULL, 0, none, none, rlimit_resources__RLIMIT_CORE},
		{NOBODY, RLIMIT_NPROC, &wrong, NULL, -ESRCH, wrong, unknown,
		 rlimit_resources__RLIMIT_NPROC},
		{-1, RLIMIT_RTTIME, NULL, &got, -ESRCH, none, unknown,
		 rlimit_resources__RLIMIT_RTTIME},
		{0, RLIMIT_CORE, &wrong, &got, -EINVAL, wrong, unknown,
		 rlimit_resources__RLIMIT_CORE},
		{0, OTHER_RESOURCE, UNREADABLE, NULL, -EFAULT, none, unknown,
		 rlimit_resources__RLIMIT_UNKNOWN},
		{0, RLIMIT_CORE, NULL, UNREADABLE, -EFAULT, none, unknown,
		 rlimit_resources__RLIMIT_CORE},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		check_prlimit(&changes[i]);
}
