/* SPDX-License-Identifier: MIT */
/*
 * When a server may be asked again: not before the back-off ends after a failure, and never more
 * often than a bucket of requests allows, which is refilled at a constant rate.
 */
#ifndef META_KUBE_PACE_H
#define META_KUBE_PACE_H

#include <stdint.h>

#include "util/backoff.h"

struct pace_limits {
	uint64_t refill_ns; /* one more request each time */
	unsigned int burst; /* requests in a row, if there were none for long */
};

/* Zeroed but for the limits: no request was made. */
struct pace {
	const struct pace_limits *limits;
	struct backoff backoff;
	uint64_t not_before_ns; /* of CLOCK_MONOTONIC; what the caller chose */
	uint64_t full_ns; /* when the bucket is full again, of CLOCK_MONOTONIC */
};

static inline uint64_t pace_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The earliest time of the next request. */
static inline uint64_t pace_next_ns(const struct pace *pace)
{
	uint64_t bucket_ns = pace->limits->refill_ns * (pace->limits->burst - 1);
	uint64_t filled_ns = pace->full_ns > bucket_ns ? pace->full_ns - bucket_ns : 0;

	return pace_later(pace_later(filled_ns, pace->not_before_ns), pace->backoff.next_ns);
}

/* A request is made. */
static inline void pace_count(struct pace *pace, uint64_t now_ns)
{
	pace->full_ns = pace_later(pace->full_ns, now_ns) + pace->limits->refill_ns;
}

#endif
