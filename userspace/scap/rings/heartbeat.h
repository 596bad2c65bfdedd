/* SPDX-License-Identifier: MIT */
/*
 * Whether the programs of each CPU report: a thread makes a call on one CPU after the other, which
 * they answer by a record without events (HEARTBEAT_ARGUMENT). Whoever detaches programs, changes
 * what they jump to or takes a ring away is noticed by its absence. Used by the live source.
 */
#ifndef SCAP_RINGS_HEARTBEAT_H
#define SCAP_RINGS_HEARTBEAT_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "scap/rings/ring.h"

/* Seconds from call to call, and calls without an answer until the CPU counts as silent. */
enum { HEARTBEAT_S = 5, HEARTBEATS_UNANSWERED_MAX = 3 };

struct heartbeat_cpu {
	_Atomic uint64_t calls; /* that the thread made there */
	/* For the event thread: */
	uint64_t signs; /* of life, when last looked at */
	uint64_t calls_then; /* made when the last sign came */
	uint64_t unanswered; /* since then, once the CPU is silent */
};

struct heartbeat {
	struct heartbeat_cpu *cpus; /* owned; NULL: no program answers */
	uint32_t count;
	bool runs; /* the thread */
	pthread_t thread;
	sem_t end;
	uint64_t unanswered; /* calls that silent CPUs did not answer, in all */
};

/* `cpus`: possible ones. Returns 0 or -errno; end it with heartbeat_end(), also on failure. */
int heartbeat_init(struct heartbeat *heartbeat, uint32_t cpus);

/* Ends the thread. Accepts zeros. */
void heartbeat_stop(struct heartbeat *heartbeat);

/* Frees all but `heartbeat` itself. Accepts zeros. */
void heartbeat_end(struct heartbeat *heartbeat);

/*
 * Compares calls with answers; to be called every second. The thread begins with the first time,
 * and so has no more privileges than the caller has by then. A CPU whose ring was not read to its
 * end, or that is offline, is not judged.
 */
void heartbeat_check(struct heartbeat *heartbeat, const struct scap_ring *rings);

/* How many CPUs are silent, and the first of them. */
uint32_t heartbeat_silent(const struct heartbeat *heartbeat, uint32_t *first);

#endif
