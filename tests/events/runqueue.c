/* SPDX-License-Identifier: MIT */
/* runqueue: a process that another one of a higher priority keeps from its CPU for a known time. */
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { BUSY_NS = 30000000, NS_PER_S = 1000000000 };

static void hold_cpu(int cpu, int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	require(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
	require(sched_setscheduler(0, policy, &param) == 0);
}

static int64_t now_ns(void)
{
	struct timespec now;

	require(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Waits for a byte, which it is woken by, but the writer has the CPU. */
static int wait_for_byte(void *arg)
{
	int *ends = arg;
	char byte;

	return read(ends[0], &byte, 1) != 1;
}

LIVE_TEST(runqueue)
{
	struct sched_param none = {0};
	int cpu = sched_getcpu(), ends[2];
	const struct event *ev;
	char name[16];
	int64_t begin;
	cpu_set_t cpus;
	pid_t child;

	require(prctl(PR_GET_NAME, name) == 0);
	require(pipe(ends) == 0 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	hold_cpu(cpu, SCHED_FIFO, 10);
	child = fixture_child(wait_for_byte, ends);
	/* It runs while this one sleeps, until it waits. */
	nanosleep(&(struct timespec){0, BUSY_NS}, NULL);
	live_skip();
	require(write(ends[1], "x", 1) == 1);
	begin = now_ns();
	while (now_ns() - begin < BUSY_NS)
		;
	require(fixture_wait(child) == 0);
	require(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
	require(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);

	ev = live_next_with(EVENT_runqueue, child, runqueue__prev, getpid());
	expect_i64(ev, runqueue__prev, getpid());
	expect_range(ev, runqueue__wait, BUSY_NS, INT64_MAX);
	expect_string(ev, runqueue__prev_name, name);
}
