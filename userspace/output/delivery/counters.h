/* SPDX-License-Identifier: MIT */
/*
 * What the two threads of an output count, at most once for each block or batch; a third one may
 * read it at any time.
 */
#ifndef OUTPUT_DELIVERY_COUNTERS_H
#define OUTPUT_DELIVERY_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "output/delivery/gap.h"

struct output_counters {
	atomic_uint_least64_t delivered, delivered_bytes; /* without drop records */
	atomic_uint_least64_t batches; /* that were sent, failed ones included */
	atomic_uint_least64_t failures; /* of these, that were not delivered as a whole */
	atomic_uint_least64_t retried; /* records that were sent again */
	atomic_uint_least64_t redelivered; /* of these, marked: they may have arrived before */
	atomic_uint_least64_t old_drops; /* drop records that earlier runs left in the spool */
	atomic_uint_least64_t dropped[GAP_CAUSES];
};

static inline void counter_add(atomic_uint_least64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t counter_get(const atomic_uint_least64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
