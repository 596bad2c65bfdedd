/* SPDX-License-Identifier: MIT */
/*
 * What a thread of an output does, and since when, for others to see: whether it moves. The thread
 * says so a few times for each batch, by one store.
 */
#ifndef OUTPUT_DELIVERY_PULSE_H
#define OUTPUT_DELIVERY_PULSE_H

#include <stdatomic.h>
#include <stdint.h>

#include "util/clock.h"

enum pulse_place {
	PULSE_WAITS, /* for records, or for the next try; also: it does not run */
	PULSE_WORKS, /* in code of ours, which needs moments */
	PULSE_IN_TARGET, /* in a call of its target */
	PULSE_IN_SPOOL, /* in a call of its spool, which waits for the disk */
	PULSE_PLACES = 4, /* a power of two: the low bits of `state` */
};

struct pulse {
	atomic_uint_least64_t state; /* ns of CLOCK_MONOTONIC, but for the place in the low bits */
};

static inline void pulse_set(struct pulse *pulse, enum pulse_place place)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC) / PULSE_PLACES * PULSE_PLACES;

	atomic_store_explicit(&pulse->state, now_ns | place, memory_order_relaxed);
}

/* Where it is; and for how long, 0 while it waits. */
static inline enum pulse_place pulse_get(const struct pulse *pulse, uint64_t now_ns,
					 uint64_t *age_ns)
{
	uint64_t state = atomic_load_explicit(&pulse->state, memory_order_relaxed);
	enum pulse_place place = (enum pulse_place)(state % PULSE_PLACES);
	uint64_t since_ns = state - place;

	*age_ns = place != PULSE_WAITS && since_ns < now_ns ? now_ns - since_ns : 0;
	return place;
}

#endif
