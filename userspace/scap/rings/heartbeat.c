/* SPDX-License-Identifier: MIT */
/* The thread pins itself to one CPU after the other, makes the call there, and counts it. */
#include "scap/rings/heartbeat.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "privileges/privileges.h"
#include "util/clock.h"

enum { MS_PER_S = 1000 };

/* On a CPU; it may have gone offline. */
static void beat(struct heartbeat *heartbeat, uint32_t cpu, cpu_set_t *set, size_t bytes)
{
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set))
		return;
	syscall(SYS_sched_get_priority_max, HEARTBEAT_ARGUMENT);
	atomic_fetch_add(&heartbeat->cpus[cpu].calls, 1);
}

static bool is_ended(struct heartbeat *heartbeat)
{
	const struct timespec until = clock_after_ms(CLOCK_MONOTONIC, HEARTBEAT_S * MS_PER_S);
	int r;

	do
		r = sem_clockwait(&heartbeat->end, CLOCK_MONOTONIC, &until) ? -errno : 0;
	while (r == -EINTR);
	return r == 0;
}

/* Not on CPUs that are kept free of everything else, as by isolcpus=. */
static void run_on(struct heartbeat *heartbeat, const cpu_set_t *allowed, cpu_set_t *set,
		   size_t bytes)
{
	do
		for (uint32_t cpu = 0; cpu < heartbeat->count; cpu++)
			if (CPU_ISSET_S(cpu, bytes, allowed))
				beat(heartbeat, cpu, set, bytes);
	while (!is_ended(heartbeat));
}

static void *heartbeat_run(void *data)
{
	static const struct files_rule none[] = {{0}};
	static const struct files_limits nothing = {.rules = none};
	struct heartbeat *heartbeat = data;
	cpu_set_t *allowed = CPU_ALLOC(heartbeat->count), *set = CPU_ALLOC(heartbeat->count);
	size_t bytes = CPU_ALLOC_SIZE(heartbeat->count);

	pthread_setname_np(pthread_self(), "heartbeat");
	if (allowed && set && sched_getaffinity(0, bytes, allowed) == 0 &&
	    privileges_enter(ROLE_HEARTBEAT, &nothing, NULL) == 0)
		run_on(heartbeat, allowed, set, bytes);
	CPU_FREE(allowed);
	CPU_FREE(set);
	return NULL;
}

int heartbeat_init(struct heartbeat *heartbeat, uint32_t cpus)
{
	*heartbeat =
		(struct heartbeat){.cpus = calloc(cpus, sizeof(*heartbeat->cpus)), .count = cpus};
	if (!heartbeat->cpus)
		return -ENOMEM;
	sem_init(&heartbeat->end, 0, 0);
	return 0;
}

void heartbeat_stop(struct heartbeat *heartbeat)
{
	if (!heartbeat->runs)
		return;
	sem_post(&heartbeat->end);
	pthread_join(heartbeat->thread, NULL);
	heartbeat->runs = false;
}

void heartbeat_end(struct heartbeat *heartbeat)
{
	if (!heartbeat->cpus)
		return;
	heartbeat_stop(heartbeat);
	sem_destroy(&heartbeat->end);
	free(heartbeat->cpus);
	*heartbeat = (struct heartbeat){0};
}

/* Signals are the business of the other threads. */
static void heartbeat_start(struct heartbeat *heartbeat)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	heartbeat->runs = pthread_create(&heartbeat->thread, NULL, heartbeat_run, heartbeat) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* That records were lost is a sign of life, too: of a ring that is full. */
static void check_cpu(struct heartbeat *heartbeat, struct heartbeat_cpu *cpu,
		      const struct scap_ring *ring)
{
	uint64_t calls = atomic_load(&cpu->calls), signs = ring->heartbeats + ring->lost,
		 unanswered;

	if (ring->fd < 0 || signs != cpu->signs) {
		cpu->signs = signs;
		cpu->calls_then = calls;
		cpu->unanswered = 0;
		return;
	}
	unanswered = calls - cpu->calls_then;
	if (unanswered < HEARTBEATS_UNANSWERED_MAX || !scap_ring_drained(ring))
		return;
	heartbeat->unanswered += unanswered - cpu->unanswered;
	cpu->unanswered = unanswered;
}

void heartbeat_check(struct heartbeat *heartbeat, const struct scap_ring *rings)
{
	if (!heartbeat->cpus)
		return;
	if (!heartbeat->runs)
		heartbeat_start(heartbeat);
	for (uint32_t cpu = 0; cpu < heartbeat->count; cpu++)
		check_cpu(heartbeat, &heartbeat->cpus[cpu], &rings[cpu]);
}

uint32_t heartbeat_silent(const struct heartbeat *heartbeat, uint32_t *first)
{
	uint32_t silent = 0;

	for (uint32_t cpu = 0; cpu < heartbeat->count; cpu++)
		if (heartbeat->cpus[cpu].unanswered && silent++ == 0)
			*first = cpu;
	return silent;
}
