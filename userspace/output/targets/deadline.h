/* SPDX-License-Identifier: MIT */
/* Waits that share one limit of time. */
#ifndef OUTPUT_TARGETS_DEADLINE_H
#define OUTPUT_TARGETS_DEADLINE_H

#include "output/stop.h"
#include "util/clock.h"

static inline uint64_t deadline_after(uint64_t ns)
{
	return clock_ns(CLOCK_MONOTONIC) + ns;
}

/* output_wait() until a time of the monotonic clock, a day at most. */
static inline int deadline_wait(const struct output_stop *stop, int fd, short events,
				uint64_t deadline_ns)
{
	const uint64_t ns_per_ms = 1000000, day_ms = 86400000;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t ms = deadline_ns > now ? (deadline_ns - now + ns_per_ms - 1) / ns_per_ms : 0;

	return output_wait(stop, fd, events, (int)(ms < day_ms ? ms : day_ms));
}

#endif
