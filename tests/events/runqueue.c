/* SPDX-License-Identifier: MIT */
/*
 * runqueue: a process that another one of a higher priority keeps from its CPU for a known time,
 * also while another user has more threads that wait than there is room for; and a thread that is
 * woken before it sleeps, whose sleep is no wait.
 */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum {
	BUSY_NS = 30000000,
	NS_PER_S = 1000000000,
	CROWD = 400, /* above WAITING_MAX */
	NOBODY = 65534,
	SOMEBODY = 65533,
	STACK_BYTES = 1 << 16,
	FEW = 6, /* any of which finds room by chance */
};

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

/* Waits for a byte, which it is woken by, but the writer has the CPU; as a user who has nothing
 * else. */
static int wait_for_byte(void *arg)
{
	int *ends = arg;
	char byte;

	require(setuid(SOMEBODY) == 0);
	return read(ends[0], &byte, 1) != 1;
}

static void *run_for_ever(void *unused)
{
	for (;;)
		;
	return NULL;
}

/* Threads of another user that all could run, on the CPU of this one. */
static int be_crowd(void *arg)
{
	struct sched_param none = {0};
	pthread_attr_t attr;
	pthread_t thread;
	int *ends = arg;

	require(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
	require(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	require(pthread_attr_init(&attr) == 0);
	require(pthread_attr_setstacksize(&attr, STACK_BYTES) == 0);
	for (int i = 0; i < CROWD; i++)
		require(pthread_create(&thread, &attr, run_for_ever, NULL) == 0);
	require(write(ends[1], "x", 1) == 1);
	run_for_ever(NULL);
	return 0;
}

/* Returns the child that is kept waiting. */
static pid_t keep_waiting(void)
{
	int64_t begin;
	int ends[2];
	pid_t child;

	require(pipe(ends) == 0);
	child = fixture_child(wait_for_byte, ends);
	/* It runs while this one sleeps, until it waits. */
	nanosleep(&(struct timespec){0, BUSY_NS}, NULL);
	live_skip();
	require(write(ends[1], "x", 1) == 1);
	begin = now_ns();
	while (now_ns() - begin < BUSY_NS)
		;
	require(fixture_wait(child) == 0);
	close(ends[0]);
	close(ends[1]);
	return child;
}

static void expect_wait(pid_t child, const char *name)
{
	const struct event *ev = live_next_with(EVENT_runqueue, child, runqueue__prev, getpid());

	expect_i64(ev, runqueue__prev, getpid());
	expect_range(ev, runqueue__wait, BUSY_NS, INT64_MAX);
	expect_string(ev, runqueue__prev_name, name);
}

/* While it is kept for all others that one user has threads that wait, the waits of another are
 * seen. */
static void check_beside_a_crowd(const char *name)
{
	int ends[2];
	pid_t crowd;
	char byte;

	require(pipe(ends) == 0);
	crowd = fixture_child(be_crowd, ends);
	require(read(ends[0], &byte, 1) == 1);
	for (int i = 0; i < FEW; i++)
		expect_wait(keep_waiting(), name);
	require(kill(crowd, SIGKILL) == 0);
	require(waitpid(crowd, NULL, 0) == crowd);
	close(ends[0]);
	close(ends[1]);
}

LIVE_TEST(runqueue)
{
	struct sched_param none = {0};
	cpu_set_t cpus;
	char name[16];
	pid_t child;

	require(prctl(PR_GET_NAME, name) == 0);
	require(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	hold_cpu(sched_getcpu(), SCHED_FIFO, 10);
	child = keep_waiting();
	expect_wait(child, name);
	check_beside_a_crowd(name);
	require(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
	require(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
}
