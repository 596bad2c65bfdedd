/* SPDX-License-Identifier: MIT */
/*
 * When a server that failed may be asked again: after twice as long each time it fails again, up to
 * a limit; and longer by chance, so that the machines of a fleet do not ask at the same time.
 */
#ifndef UTIL_BACKOFF_H
#define UTIL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct backoff_limits {
	uint64_t first_ns, last_ns; /* the delays */
	unsigned int longer_percent; /* by chance, at most */
};

/* Of the sockets of runtimes. */
#define BACKOFF_FIRST_NS UINT64_C(1000000000)
#define BACKOFF_LAST_NS UINT64_C(30000000000)
static const struct backoff_limits backoff_default = {BACKOFF_FIRST_NS, BACKOFF_LAST_NS, 25};

/* Zeroed: the server has not failed. */
struct backoff {
	uint64_t next_ns; /* of CLOCK_MONOTONIC: not before that */
	uint64_t delay_ns; /* the last one */
};

static inline bool backoff_allows(const struct backoff *backoff, uint64_t now_ns)
{
	return now_ns >= backoff->next_ns;
}

/* The server failed. `chance` is a random number. */
static inline void backoff_failed_by(struct backoff *backoff, const struct backoff_limits *limits,
				     uint64_t now_ns, uint16_t chance)
{
	uint64_t delay = backoff->delay_ns ? backoff->delay_ns * 2 : limits->first_ns;

	delay = delay < limits->last_ns ? delay : limits->last_ns;
	backoff->delay_ns = delay;
	backoff->next_ns =
		now_ns + delay + delay / 100 * limits->longer_percent * chance / UINT16_MAX;
}

static inline void backoff_failed(struct backoff *backoff, uint64_t now_ns, uint16_t chance)
{
	backoff_failed_by(backoff, &backoff_default, now_ns, chance);
}

/* The server answered. */
static inline void backoff_reset(struct backoff *backoff)
{
	*backoff = (struct backoff){0};
}

#endif
