/* SPDX-License-Identifier: MIT */
/*
 * Whether events come through: a process that the agent starts ends, and its event must arrive from
 * the kernel. Its events are not shown.
 */
#ifndef AGENT_RUN_CANARY_H
#define AGENT_RUN_CANARY_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct state_event;

enum { CANARY_STACK_BYTES = 16384 };

struct canary {
	_Atomic int64_t tid; /* of the process, as events have it; 0: there is none */
	sem_t arrived;
	_Atomic uint64_t arrived_ns; /* monotonic clock: when the last event arrived; 0: none yet */
	pthread_mutex_t lock; /* of what follows, from the start of a process to its end */
	pid_t pid; /* the same in the agent's pid namespace */
	int ends[2]; /* the pipe that it reads until its end */
	_Alignas(16) char stack[CANARY_STACK_BYTES]; /* of the process */
};

void canary_init(struct canary *canary);
void canary_finish(struct canary *canary);

/* Whether an event arrived just now, so that who asks often need not keep others waiting. */
bool canary_is_fresh(const struct canary *canary);

/*
 * Starts the process, which waits: its id is in canary->pid. Not on the thread of the loop. One at
 * a time: other threads wait until canary_end(), a second at most. Returns 0 or -errno, then
 * nothing is to be ended.
 */
int canary_start(struct canary *canary);

/*
 * Lets it end, and waits at most so long for the event. tid: its id as events have it; 0: it is not
 * known, nothing is waited for. Returns 0 or -ETIMEDOUT.
 */
int canary_end(struct canary *canary, int64_t tid, unsigned int timeout_ms);

/* For the loop: whether there is a process, of which canary_takes() has to know the events. */
static inline bool canary_runs(const struct canary *canary)
{
	return atomic_load_explicit(&canary->tid, memory_order_relaxed) != 0;
}

/* For the loop: whether the event is one of the process. */
bool canary_takes(struct canary *canary, const struct state_event *event);

#endif
