/* SPDX-License-Identifier: MIT */
/* Scheduling: policies, priorities, CPUs; and waiting for children. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "harness/calls.h"

enum { NS = 1000000000, US = 1000, RESET_ON_FORK = 0x40000000, NO_PID = 0x7fffffff };

static int64_t ns_of(struct timeval time)
{
	return time.tv_sec * (int64_t)NS + time.tv_usec * US;
}

LIVE_TEST(sched_yield)
{
	require(CHECK(sched_yield, (SYS_sched_yield)) == 0);
}

LIVE_TEST(sched_setparam)
{
	int none = 0, high = 77;

	require(CHECK(sched_setparam, (SYS_sched_setparam, 0, &none), 0, 0) == 0);
	require(CHECK(sched_setparam, (SYS_sched_setparam, getpid(), &high), getpid(), 77) ==
		-EINVAL);
	require(CHECK(sched_setparam, (SYS_sched_setparam, -1, &high), -1, 77) == -EINVAL);
	require(CHECK(sched_setparam, (SYS_sched_setparam, 0, UNREADABLE), 0, NOTHING) == -EFAULT);
}

LIVE_TEST(sched_getparam)
{
	int priority = 5;

	require(CHECK(sched_getparam, (SYS_sched_getparam, 0, &priority), 0, 0) == 0);
	require(CHECK(sched_getparam, (SYS_sched_getparam, -1, &priority), -1, NOTHING) == -EINVAL);
	require(CHECK(sched_getparam, (SYS_sched_getparam, 0, UNREADABLE), 0, NOTHING) == -EFAULT);
}

static int set_policies(void *arg)
{
	int none = 0;

	CALL(SYS_sched_setscheduler, 0, SCHED_BATCH | RESET_ON_FORK, &none);
	CALL(SYS_sched_getscheduler, 0);
	return 0;
}

/* By a child, which does not keep its policy. */
LIVE_TEST(sched_setscheduler)
{
	int high = 99;
	pid_t child = fixture_child(set_policies, NULL);

	fixture_wait(child);
	expect_values(live_next_of(EVENT_sched_setscheduler, child), 0, 0, SCHED_BATCH,
		      RESET_ON_FORK, 0);
	require(CHECK(sched_setscheduler, (SYS_sched_setscheduler, 0, SCHED_OTHER, &high), 0,
		      SCHED_OTHER, 0, 99) == -EINVAL);
	require(CHECK(sched_setscheduler, (SYS_sched_setscheduler, NO_PID, 44, &high), NO_PID, 44,
		      0, 99) < 0);
	require(CHECK(sched_setscheduler, (SYS_sched_setscheduler, 0, SCHED_RR, UNREADABLE), 0,
		      SCHED_RR, 0, NOTHING) == -EFAULT);
}

LIVE_TEST(sched_getscheduler)
{
	pid_t child = fixture_child(set_policies, NULL);

	fixture_wait(child);
	expect_values(live_next_of(EVENT_sched_getscheduler, child), SCHED_BATCH | RESET_ON_FORK, 0,
		      SCHED_BATCH, RESET_ON_FORK);
	require(CHECK(sched_getscheduler, (SYS_sched_getscheduler, getpid()), getpid(), SCHED_OTHER,
		      0) == 0);
	require(CHECK(sched_getscheduler, (SYS_sched_getscheduler, -1), -1, NOTHING, NOTHING) ==
		-EINVAL);
}

LIVE_TEST(sched_get_priority_max)
{
	require(CHECK(sched_get_priority_max, (SYS_sched_get_priority_max, SCHED_FIFO),
		      SCHED_FIFO) == 99);
	require(CHECK(sched_get_priority_max, (SYS_sched_get_priority_max, -4), -4) == -EINVAL);
}

LIVE_TEST(sched_get_priority_min)
{
	require(CHECK(sched_get_priority_min, (SYS_sched_get_priority_min, SCHED_RR), SCHED_RR) ==
		1);
	require(CHECK(sched_get_priority_min, (SYS_sched_get_priority_min, 1000), 1000) == -EINVAL);
}

LIVE_TEST(sched_rr_get_interval)
{
	struct timespec interval;

	require(CHECK(sched_rr_get_interval, (SYS_sched_rr_get_interval, 0, &interval), 0,
		      interval.tv_sec * (int64_t)NS + interval.tv_nsec) == 0);
	require(CHECK(sched_rr_get_interval, (SYS_sched_rr_get_interval, -1, &interval), -1,
		      NOTHING) == -EINVAL);
}

/* Sets of 8 bytes and of 1024, which are cut, and a part of one. */
LIVE_TEST(sched_setaffinity)
{
	static uint64_t cpus[129];
	long size = CALL(SYS_sched_getaffinity, 0, sizeof(cpus), cpus);
	const struct event *ev;

	require(size > 0);
	cpus[128] = 5;
	require(CALL(SYS_sched_setaffinity, 0, size, cpus) == 0);
	ev = live_next(EVENT_sched_setaffinity);
	expect_values(ev, 0, 0, size, OTHER);
	expect_bytes(ev, sched_setaffinity__mask, cpus, (size_t)size);
	require(CALL(SYS_sched_setaffinity, NO_PID, sizeof(cpus), cpus) == -ESRCH);
	ev = live_next(EVENT_sched_setaffinity);
	expect_values(ev, -ESRCH, NO_PID, sizeof(cpus), OTHER);
	expect_bytes(ev, sched_setaffinity__mask, cpus, 1024);
	require(CALL(SYS_sched_setaffinity, -1, 1, cpus) < 0);
	ev = live_next(EVENT_sched_setaffinity);
	expect_i64(ev, sched_setaffinity__pid, -1);
	expect_i64(ev, sched_setaffinity__cpusetsize, 1);
	expect_bytes(ev, sched_setaffinity__mask, cpus, 1);
	expect_range(ev, sched_setaffinity__res, -EINVAL, -ESRCH);
	require(CHECK(sched_setaffinity, (SYS_sched_setaffinity, 0, 8, UNREADABLE), 0, 8,
		      NOTHING) == -EFAULT);
	require(CHECK(sched_setaffinity, (SYS_sched_setaffinity, NO_PID, 0, cpus), NO_PID, 0,
		      NOTHING) == -ESRCH);
}

LIVE_TEST(sched_getaffinity)
{
	uint64_t cpus[128];
	long size = CALL(SYS_sched_getaffinity, 0, sizeof(cpus), cpus);
	const struct event *ev = live_next(EVENT_sched_getaffinity);

	require(size > 0);
	expect_values(ev, size, 0, sizeof(cpus), OTHER);
	expect_bytes(ev, sched_getaffinity__mask, cpus, (size_t)size);
	require(CHECK(sched_getaffinity, (SYS_sched_getaffinity, 0, 1, cpus), 0, 1, NOTHING) ==
		-EINVAL);
	require(CHECK(sched_getaffinity, (SYS_sched_getaffinity, -1, 1024, cpus), -1, 1024,
		      NOTHING) < 0);
}

/* The first version of it. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

#define NO_ATTRIBUTES NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING

LIVE_TEST(sched_setattr)
{
	struct attributes set = {sizeof(set), SCHED_OTHER, 0, getpriority(PRIO_PROCESS, 0),
				 0,	      0,	   0, 0};
	struct attributes deadline = {sizeof(set), 6, 0x7f, -20, 99, 10, 9, 8};
	struct attributes *edge = fixture_edge(&deadline, sizeof(deadline));

	require(CHECK(sched_setattr, (SYS_sched_setattr, 0, &set, 0), 0, 48, SCHED_OTHER, 0,
		      set.nice, 0, 0, 0, 0, 0) == 0);
	require(CHECK(sched_setattr, (SYS_sched_setattr, 0, edge, 0), 0, 48, 6, 0x7f, -20, 99, 10,
		      9, 8, 0) < 0);
	require(CHECK(sched_setattr, (SYS_sched_setattr, 0, &set, 5), 0, 48, SCHED_OTHER, 0,
		      set.nice, 0, 0, 0, 0, 5) == -EINVAL);
	require(CHECK(sched_setattr, (SYS_sched_setattr, 0, UNREADABLE, 0), 0, NO_ATTRIBUTES, 0) ==
		-EFAULT);
	require(CHECK(sched_setattr, (SYS_sched_setattr, -1, NULL, 0), -1, NO_ATTRIBUTES, 0) ==
		-EINVAL);
}

LIVE_TEST(sched_getattr)
{
	struct attributes got;

	require(CHECK(sched_getattr, (SYS_sched_getattr, 0, &got, sizeof(got), 0), 0, 48,
		      SCHED_OTHER, got.flags, got.nice, 0, got.runtime, got.deadline, got.period,
		      48, 0) == 0);
	require(CHECK(sched_getattr, (SYS_sched_getattr, 0, &got, 10, 0), 0, NO_ATTRIBUTES, 10,
		      0) == -EINVAL);
	require(CHECK(sched_getattr, (SYS_sched_getattr, -1, &got, 48, 7), -1, NO_ATTRIBUTES, 48,
		      7) == -EINVAL);
}

LIVE_TEST(getpriority)
{
	require(CHECK(getpriority, (SYS_getpriority, PRIO_PROCESS, 0), PRIO_PROCESS, 0) ==
		20 - getpriority(PRIO_PROCESS, 0));
	live_skip();
	require(CHECK(getpriority, (SYS_getpriority, PRIO_USER, NO_PID), PRIO_USER, NO_PID) ==
		-ESRCH);
	require(CHECK(getpriority, (SYS_getpriority, 3, -1), 3, -1) == -EINVAL);
}

LIVE_TEST(setpriority)
{
	int now = getpriority(PRIO_PROCESS, 0);

	require(CHECK(setpriority, (SYS_setpriority, PRIO_PROCESS, 0, now), PRIO_PROCESS, 0, now) ==
		0);
	require(CHECK(setpriority, (SYS_setpriority, PRIO_PGRP, NO_PID, -100), PRIO_PGRP, NO_PID,
		      -100) == -ESRCH);
	require(CHECK(setpriority, (SYS_setpriority, 77, 1, 19), 77, 1, 19) == -EINVAL);
}

enum { WHO_PROCESS = 1, WHO_GROUP = 2, CLASS_BEST_EFFORT = 2, CLASS_SHIFT = 13 };

LIVE_TEST(ioprio_set)
{
	long best_effort = CLASS_BEST_EFFORT << CLASS_SHIFT | 4;

	require(CHECK(ioprio_set, (SYS_ioprio_set, WHO_PROCESS, 0, best_effort), WHO_PROCESS, 0,
		      CLASS_BEST_EFFORT, 4) == 0);
	require(CHECK(ioprio_set, (SYS_ioprio_set, 9, -1, 7 << CLASS_SHIFT | 0x1fff), 9, -1, 7,
		      0x1fff) == -EINVAL);
	require(CHECK(ioprio_set, (SYS_ioprio_set, WHO_GROUP, NO_PID, best_effort), WHO_GROUP,
		      NO_PID, CLASS_BEST_EFFORT, 4) == -ESRCH);
}

LIVE_TEST(ioprio_get)
{
	long best_effort = CLASS_BEST_EFFORT << CLASS_SHIFT | 4;

	require(CALL(SYS_ioprio_set, WHO_PROCESS, 0, best_effort) == 0);
	require(CHECK(ioprio_get, (SYS_ioprio_get, WHO_PROCESS, 0), WHO_PROCESS, 0,
		      CLASS_BEST_EFFORT, 4) == best_effort);
	require(CHECK(ioprio_get, (SYS_ioprio_get, 9, -1), 9, -1, NOTHING, NOTHING) == -EINVAL);
}

LIVE_TEST(getcpu)
{
	unsigned int cpu, node;

	require(CHECK(getcpu, (SYS_getcpu, &cpu, &node, NULL), cpu, node) == 0);
	require(CHECK(getcpu, (SYS_getcpu, NULL, NULL, NULL), NOTHING, NOTHING) == 0);
	require(CHECK(getcpu, (SYS_getcpu, UNREADABLE, &node, NULL), NOTHING, NOTHING) == -EFAULT);
}

static int end_with(void *arg)
{
	return *(int *)arg;
}

static int stop(void *arg)
{
	raise(SIGKILL);
	return 0;
}

#define RUSAGE(used)                                                                               \
	ns_of((used).ru_utime), ns_of((used).ru_stime), (used).ru_maxrss, (used).ru_minflt,        \
		(used).ru_majflt
#define NO_RUSAGE NOTHING, NOTHING, NOTHING, NOTHING, NOTHING

LIVE_TEST(wait4)
{
	struct rusage used;
	int status, code = 7;
	pid_t child = fixture_child(end_with, &code);

	require(CHECK(wait4, (SYS_wait4, child, &status, 0, &used), child, 7 << 8, 0,
		      RUSAGE(used)) == child);
	child = fixture_child(stop, NULL);
	require(CHECK(wait4, (SYS_wait4, -1, &status, __WALL | WUNTRACED, NULL), -1, SIGKILL,
		      __WALL | WUNTRACED, NO_RUSAGE) == child);
	child = fixture_child(end_with, &code);
	require(CHECK(wait4, (SYS_wait4, child, NULL, 0, NULL), child, NOTHING, 0, NO_RUSAGE) ==
		child);
	/* None is left. */
	require(CHECK(wait4, (SYS_wait4, -1, &status, WNOHANG, &used), -1, NOTHING, WNOHANG,
		      NO_RUSAGE) == -ECHILD);
	require(CHECK(wait4, (SYS_wait4, -1, &status, 0x77777777, NULL), -1, NOTHING, 0x77777777,
		      NO_RUSAGE) == -EINVAL);
}

LIVE_TEST(waitid)
{
	struct rusage used;
	siginfo_t info;
	int code = 7;
	pid_t child = fixture_child(end_with, &code);

	require(CHECK(waitid, (SYS_waitid, P_PID, child, &info, WEXITED, &used), P_PID, child,
		      child, 0, CLD_EXITED, 7, WEXITED, RUSAGE(used)) == 0);
	child = fixture_child(stop, NULL);
	require(CHECK(waitid, (SYS_waitid, P_ALL, 0, &info, WEXITED | WNOWAIT, NULL), P_ALL, 0,
		      child, 0, CLD_KILLED, SIGKILL, WEXITED | WNOWAIT, NO_RUSAGE) == 0);
	require(CHECK(waitid, (SYS_waitid, P_ALL, 0, NULL, WEXITED, NULL), P_ALL, 0, NOTHING,
		      NOTHING, NOTHING, NOTHING, WEXITED, NO_RUSAGE) == 0);
	require(CHECK(waitid, (SYS_waitid, P_PGID, NO_PID, &info, WEXITED, &used), P_PGID, NO_PID,
		      NOTHING, NOTHING, NOTHING, NOTHING, WEXITED, NO_RUSAGE) == -ECHILD);
	require(CHECK(waitid, (SYS_waitid, 55, -1, &info, WNOHANG, NULL), 55, -1, NOTHING, NOTHING,
		      NOTHING, NOTHING, WNOHANG, NO_RUSAGE) == -EINVAL);
}
