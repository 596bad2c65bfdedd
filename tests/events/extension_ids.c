/* SPDX-License-Identifier: MIT */
/* Who processes are, what they may do and what they have used. */
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "harness/calls.h"

enum { NO_PID = 0x7fffffff, NS = 1000000000, US = 1000 };

LIVE_TEST(getpid)
{
	live_skip();
	require(CHECK(getpid, (SYS_getpid)) == getpid());
}

LIVE_TEST(getppid)
{
	require(CHECK(getppid, (SYS_getppid)) == getppid());
}

LIVE_TEST(gettid)
{
	live_skip();
	require(CHECK(gettid, (SYS_gettid)) == getpid());
}

LIVE_TEST(getpgid)
{
	pid_t group = getpgrp();

	live_skip(); /* the C library may have made it of getpgid */
	require(CHECK(getpgid, (SYS_getpgid, 0), 0) == group);
	require(CHECK(getpgid, (SYS_getpgid, NO_PID), NO_PID) == -ESRCH);
	require(CHECK(getpgid, (SYS_getpgid, -1), -1) == -ESRCH);
}

LIVE_TEST(getpgrp)
{
	require(CHECK(getpgrp, (SYS_getpgrp)) == getpgid(0));
}

LIVE_TEST(getsid)
{
	require(CHECK(getsid, (SYS_getsid, getpid()), getpid()) >= 0);
	require(CHECK(getsid, (SYS_getsid, NO_PID), NO_PID) == -ESRCH);
}

static const uint32_t some_groups[] = {0, 27, 0x7fffffff, 0xfffffffe};

enum { SOME = sizeof(some_groups) / sizeof(some_groups[0]) };

static int set_groups(void *arg)
{
	uint32_t groups[SOME];

	CALL(SYS_setgroups, SOME, some_groups);
	CALL(SYS_getgroups, SOME, groups);
	CALL(SYS_setgroups, 0, NULL);
	CALL(SYS_getgroups, SOME, groups);
	return 0;
}

LIVE_TEST(setgroups)
{
	pid_t child = fixture_child(set_groups, NULL);
	uint32_t *edge = fixture_edge(some_groups, sizeof(some_groups));
	const char *many = fixture_pattern(5000);
	const struct event *ev;

	fixture_wait(child);
	ev = live_next_of(EVENT_setgroups, child);
	expect_values(ev, 0, SOME, OTHER);
	expect_bytes(ev, setgroups__list, some_groups, sizeof(some_groups));
	expect_values(live_next_of(EVENT_setgroups, child), 0, 0, NOTHING);
	require(CALL(SYS_setgroups, 65537, many) == -EINVAL);
	ev = live_next(EVENT_setgroups);
	expect_values(ev, -EINVAL, 65537, OTHER);
	expect_bytes(ev, setgroups__list, many, 4096);
	require(CHECK(setgroups, (SYS_setgroups, -1, some_groups), -1, NOTHING) == -EINVAL);
	require(CHECK(setgroups, (SYS_setgroups, SOME + 1, edge), SOME + 1, NOTHING) == -EFAULT);
	require(CHECK(setgroups, (SYS_setgroups, 1, UNREADABLE), 1, NOTHING) == -EFAULT);
}

LIVE_TEST(getgroups)
{
	pid_t child = fixture_child(set_groups, NULL);
	const struct event *ev;
	uint32_t groups[1];

	fixture_wait(child);
	ev = live_next_of(EVENT_getgroups, child);
	expect_values(ev, SOME, SOME, OTHER);
	expect_bytes(ev, getgroups__list, some_groups, sizeof(some_groups));
	expect_values(live_next_of(EVENT_getgroups, child), 0, SOME, NOTHING);
	require(CHECK(getgroups, (SYS_getgroups, 0, UNREADABLE), 0, NOTHING) >= 0);
	require(CHECK(getgroups, (SYS_getgroups, -1, groups), -1, NOTHING) == -EINVAL);
}

static int set_filesystem_ids(void *arg)
{
	CALL(SYS_setfsuid, 1000);
	CALL(SYS_setfsuid, -1);
	CALL(SYS_setfsgid, 1001);
	CALL(SYS_setfsgid, -1);
	return 0;
}

LIVE_TEST(setfsuid)
{
	pid_t child = fixture_child(set_filesystem_ids, NULL);

	fixture_wait(child);
	expect_values(live_next_of(EVENT_setfsuid, child), 0, 1000);
	expect_values(live_next_of(EVENT_setfsuid, child), 1000, UINT32_MAX);
}

LIVE_TEST(setfsgid)
{
	pid_t child = fixture_child(set_filesystem_ids, NULL);

	fixture_wait(child);
	expect_values(live_next_of(EVENT_setfsgid, child), 0, 1001);
	expect_values(live_next_of(EVENT_setfsgid, child), 1001, UINT32_MAX);
}

/* As the kernel has them: a version and a process, and one set or two of 32 bits each. */
struct capability_header {
	uint32_t version;
	int pid;
};

struct capability_sets {
	uint32_t effective, permitted, inheritable;
};

enum { VERSION_1 = 0x19980330, VERSION_3 = 0x20080522 };

static int64_t both(uint32_t low, uint32_t high)
{
	return (int64_t)((uint64_t)high << 32 | low);
}

LIVE_TEST(capget)
{
	struct capability_header header = {VERSION_3, 0}, first = {VERSION_1, 0}, other = {5, -1};
	struct capability_sets sets[2] = {{0}};
	struct capability_sets *edge = fixture_edge(sets, sizeof(sets[0]));

	require(CHECK(capget, (SYS_capget, &header, sets), VERSION_3, 0,
		      both(sets[0].effective, sets[1].effective),
		      both(sets[0].permitted, sets[1].permitted),
		      both(sets[0].inheritable, sets[1].inheritable)) == 0);
	require(sets[0].permitted && sets[1].permitted);
	require(CHECK(capget, (SYS_capget, &first, edge), VERSION_1, 0, edge->effective,
		      edge->permitted, edge->inheritable) == 0);
	header.pid = NO_PID;
	require(CHECK(capget, (SYS_capget, &header, sets), VERSION_3, NO_PID, NOTHING, NOTHING,
		      NOTHING) == -ESRCH);
	/* The kernel says which version it would like. */
	require(CHECK(capget, (SYS_capget, &other, sets), VERSION_3, -1, NOTHING, NOTHING,
		      NOTHING) == -EINVAL);
	require(CHECK(capget, (SYS_capget, UNREADABLE, sets), NOTHING, NOTHING, NOTHING, NOTHING,
		      NOTHING) == -EFAULT);
}

LIVE_TEST(personality)
{
	long now = CALL(SYS_personality, 0xffffffff);

	require(now >= 0);
	live_skip();
	require(CHECK(personality, (SYS_personality, ADDR_NO_RANDOMIZE | UNAME26),
		      ADDR_NO_RANDOMIZE | UNAME26) == now);
	require(CHECK(personality, (SYS_personality, 0xffffffff), 0xffffffff) ==
		(ADDR_NO_RANDOMIZE | UNAME26));
	require(CHECK(personality, (SYS_personality, now), now) == (ADDR_NO_RANDOMIZE | UNAME26));
}

LIVE_TEST(getrusage)
{
	struct rusage used;

	require(CHECK(getrusage, (SYS_getrusage, RUSAGE_SELF, &used), RUSAGE_SELF,
		      used.ru_utime.tv_sec * (int64_t)NS + used.ru_utime.tv_usec * US,
		      used.ru_stime.tv_sec * (int64_t)NS + used.ru_stime.tv_usec * US,
		      used.ru_maxrss, used.ru_minflt, used.ru_majflt) == 0);
	require(CHECK(getrusage, (SYS_getrusage, 5, &used), 5, NOTHING, NOTHING, NOTHING, NOTHING,
		      NOTHING) == -EINVAL);
	require(CHECK(getrusage, (SYS_getrusage, RUSAGE_CHILDREN, UNREADABLE), RUSAGE_CHILDREN,
		      NOTHING, NOTHING, NOTHING, NOTHING, NOTHING) == -EFAULT);
}

/* Kernels may be built without it. */
LIVE_TEST(kcmp)
{
	long ret =
		CHECK(kcmp, (SYS_kcmp, getpid(), getpid(), 0, 1L, 1L), getpid(), getpid(), 0, 1, 1);

	require(ret == 0 || ret == -ENOSYS);
	CHECK(kcmp, (SYS_kcmp, getpid(), NO_PID, 7, 0x123456789a, -1L), getpid(), NO_PID, 7,
	      0x123456789a, -1);
	CHECK(kcmp, (SYS_kcmp, -1, -2, 99, 0L, 0L), -1, -2, 99, 0, 0);
}
