/* SPDX-License-Identifier: MIT */
/*
 * Threads of outputs: they have the privileges of outputs alone, as have those that libraries start
 * when a target is opened.
 */
#ifndef OUTPUT_DELIVERY_THREAD_H
#define OUTPUT_DELIVERY_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "output/config.h"
#include "output/reach.h"
#include "output/stop.h"
#include "privileges/files.h"
#include "util/clock.h"
#include "util/error.h"

/*
 * What a thread of an output does, and since when, for others to see: whether it moves. The thread
 * says so a few times for each batch, by one store.
 */

enum output_heartbeat_place {
	HEARTBEAT_WAITS, /* for records, or for the next try; also: it does not run */
	HEARTBEAT_WORKS, /* in code of ours, which needs moments */
	HEARTBEAT_IN_TARGET, /* in a call of its target */
	HEARTBEAT_IN_SPOOL, /* in a call of its spool, which waits for the disk */
	HEARTBEAT_PLACES = 4, /* a power of two: the low bits of `state` */
};

struct output_heartbeat {
	atomic_uint_least64_t state; /* ns of CLOCK_MONOTONIC, but for the place in the low bits */
};

static inline void output_heartbeat_set(struct output_heartbeat *heartbeat,
					enum output_heartbeat_place place)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC) / HEARTBEAT_PLACES * HEARTBEAT_PLACES;

	atomic_store_explicit(&heartbeat->state, now_ns | place, memory_order_relaxed);
}

/* Where it is; and for how long, 0 while it waits. */
static inline enum output_heartbeat_place
output_heartbeat_get(const struct output_heartbeat *heartbeat, uint64_t now_ns, uint64_t *age_ns)
{
	uint64_t state = atomic_load_explicit(&heartbeat->state, memory_order_relaxed);
	enum output_heartbeat_place place = (enum output_heartbeat_place)(state % HEARTBEAT_PLACES);
	uint64_t since_ns = state - place;

	*age_ns = place != HEARTBEAT_WAITS && since_ns < now_ns ? now_ns - since_ns : 0;
	return place;
}

/*
 * Threads of outputs: they have the privileges of outputs alone, as have those that libraries start
 * for them, and get no signals, which are for the main thread.
 */

/* files: those that it uses; NULL: any. Returns 0 or -errno. */
int thread_start(pthread_t *thread, const struct files_limits *files, void *(*run)(void *),
		 void *context);

/*
 * Calls a function in such a thread, and waits for its end. files: those that it uses; NULL: any.
 * Returns 0, or -errno with a message if it was not called.
 */
int thread_call(const struct files_limits *files, void (*call)(void *), void *context,
		struct error *err);

/* Opens targets, in threads that have the privileges of outputs alone. */

/* The files that threads of an output use. Returns 0 or -ENOMEM with a message. */
int output_target_reach(const struct output_config *config, struct output_reach *reach,
			struct error *err);

/* Opens a target. Returns 0 or -errno with a message. */
int output_target_open(const struct output_config *config, struct output_stop *stop, void **target,
		       struct error *err);

/*
 * Whether that will succeed: opens the target and closes it. Nothing is sent; another process that
 * uses the same target is not disturbed. Returns 0 or -errno with a message.
 */
int output_target_try(const struct output_config *config, struct error *err);

#endif
