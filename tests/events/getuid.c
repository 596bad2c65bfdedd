/* SPDX-License-Identifier: MIT */
/* getuid, geteuid, getgid, getegid, getresuid, getresgid: as root and as another user. */
#include <sched.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { REAL = 1001, EFFECTIVE = 1002, SAVED = 1003, REAL_GROUP = 2001, EFFECTIVE_GROUP, SAVED_GROUP };

/* Queries, changes the user, queries again. */
static int ask_twice(void *arg)
{
	long number = *(long *)arg;

	CALL(number);
	if (CALL(SYS_setresgid, REAL_GROUP, EFFECTIVE_GROUP, SAVED_GROUP) ||
	    CALL(SYS_setresuid, REAL, EFFECTIVE, SAVED))
		return 1;
	CALL(number);
	return 0;
}

static void check(unsigned int event, long number, int64_t after)
{
	pid_t child = fixture_child(ask_twice, &number);

	require(fixture_wait(child) == 0);
	expect_i64(live_next_of(event, child), 0, 0);
	expect_i64(live_next_of(event, child), 0, after);
}

LIVE_TEST(getuid)
{
	check(EVENT_getuid, SYS_getuid, REAL);
}

LIVE_TEST(geteuid)
{
	check(EVENT_geteuid, SYS_geteuid, EFFECTIVE);
}

LIVE_TEST(getgid)
{
	check(EVENT_getgid, SYS_getgid, REAL_GROUP);
}

LIVE_TEST(getegid)
{
	check(EVENT_getegid, SYS_getegid, EFFECTIVE_GROUP);
}

/* Where the three ids go. */
struct places {
	uint32_t *real, *effective, *saved;
	long res;
	uint32_t shown[3];
};

_Static_assert((int)getresuid__suid == getresgid__sgid, "the two have their parameters in common");

static void expect_ids(unsigned int event, int64_t tid, const struct places *places)
{
	const struct event *ev = live_next_of(event, tid);

	expect_i64(ev, getresuid__res, places->res);
	expect_i64(ev, getresuid__ruid, places->shown[0]);
	expect_i64(ev, getresuid__euid, places->shown[1]);
	expect_i64(ev, getresuid__suid, places->shown[2]);
}

struct asking {
	long number;
	const struct places *places;
	size_t count;
};

static int ask_for_all(void *arg)
{
	const struct asking *asking = arg;

	if (CALL(SYS_setresgid, REAL_GROUP, EFFECTIVE_GROUP, SAVED_GROUP) ||
	    CALL(SYS_setresuid, REAL, EFFECTIVE, SAVED))
		return 1;
	for (size_t i = 0; i < asking->count; i++) {
		const struct places *p = &asking->places[i];

		if (CALL(asking->number, p->real, p->effective, p->saved) != p->res)
			return 2;
	}
	return 0;
}

static void check_all(unsigned int event, long number, uint32_t first)
{
	uint32_t *ids = fixture_shared(12), last = 0xffffffff;
	uint32_t *edge = fixture_edge(&last, sizeof(last));
	const struct places places[] = {
		{ids, ids + 1, ids + 2, 0, {first, first + 1, first + 2}},
		{ids, ids, ids, 0, {first + 2, first + 2, first + 2}},
		{edge, ids + 1, ids + 2, 0, {first, first + 1, first + 2}},
		/* What could be written is there. */
		{ids, UNREADABLE, ids + 2, -EFAULT, {first, 0, first + 2}},
		{NULL, ids + 1, ids + 2, -EFAULT, {0, first + 1, first + 2}},
		{edge + 1, NULL, UNREADABLE, -EFAULT, {0, 0, 0}},
	};
	struct asking asking = {number, places, sizeof(places) / sizeof(places[0])};
	pid_t child = fixture_child(ask_for_all, &asking);

	require(fixture_wait(child) == 0);
	for (size_t i = 0; i < asking.count; i++)
		expect_ids(event, child, &places[i]);
}

LIVE_TEST(getresuid)
{
	check_all(EVENT_getresuid, SYS_getresuid, REAL);
}

LIVE_TEST(getresgid)
{
	check_all(EVENT_getresgid, SYS_getresgid, REAL_GROUP);
}
