/* SPDX-License-Identifier: MIT */
/* switch: two processes on one CPU that alternate. */
#include <sched.h>
#include <stdbool.h>

#include "harness/fixture.h"
#include "harness/gate.h"
#include "harness/live.h"
#include "harness/memory.h"
#include "harness/process.h"

enum { ROUNDS = 20 };

struct ends {
	int there[2], back[2];
};

/* On one CPU, before all others, so that when one waits the other one is next. */
static void get_hold_of_cpu(void)
{
	struct sched_param priority = {.sched_priority = 10};
	int cpu = sched_getcpu();
	cpu_set_t cpus;

	require(cpu >= 0);
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	require(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
	require(sched_setscheduler(0, SCHED_FIFO, &priority) == 0);
}

static int echo(void *arg)
{
	struct ends *ends = arg;
	char byte;

	for (int i = 0; i < ROUNDS; i++)
		if (read(ends->there[0], &byte, 1) != 1 || write(ends->back[1], &byte, 1) != 1)
			return 1;
	return 0;
}

static void play(struct ends *ends)
{
	char byte = 'x';

	for (int i = 0; i < ROUNDS; i++)
		require(write(ends->there[1], &byte, 1) == 1 && read(ends->back[0], &byte, 1) == 1);
}

static void let_go_of_cpu(const cpu_set_t *cpus)
{
	struct sched_param priority = {0};

	require(sched_setscheduler(0, SCHED_OTHER, &priority) == 0);
	require(sched_setaffinity(0, sizeof(*cpus), cpus) == 0);
}

/* The last one of a process that has ended: its memory is gone. */
static void expect_last_of(pid_t pid)
{
	const struct event *ev = live_next_with(EVENT_switch, pid, switch__vm_size, 0);
	const struct memory none = {0};

	expect_range(ev, switch__next, 0, INT64_MAX);
	expect_range(ev, switch__pgft_maj, 0, INT64_MAX);
	expect_range(ev, switch__pgft_min, 1, INT64_MAX);
	memory_expect(ev, switch__vm_size, &none);
}

LIVE_TEST(switch)
{
	static struct process before, after;
	struct memory memory;
	struct ends ends;
	cpu_set_t cpus;
	int to_child = 0;
	pid_t child;

	require(pipe(ends.there) == 0 && pipe(ends.back) == 0);
	require(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	get_hold_of_cpu();
	child = fixture_child(echo, &ends);
	live_skip();
	process_read(getpid(), getpid(), &before);
	memory = memory_now();
	play(&ends);
	require(fixture_wait(child) == 0);
	process_read(getpid(), getpid(), &after);
	let_go_of_cpu(&cpus);

	/* Ahead of them come those of the wait for the events so far. */
	live_skip_to(EVENT_switch, getpid(), switch__next, child);
	while (to_child < ROUNDS - 1) {
		const struct event *ev = live_next(EVENT_switch);

		to_child += event_param_i64(ev, switch__next) == child;
		expect_range(ev, switch__next, 0, INT64_MAX);
		expect_range(ev, switch__pgft_maj, (int64_t)before.faults_major,
			     (int64_t)after.faults_major);
		expect_range(ev, switch__pgft_min, (int64_t)before.faults_minor,
			     (int64_t)after.faults_minor);
		memory_expect(ev, switch__vm_size, &memory);
	}
	expect_last_of(child);
}
