/* SPDX-License-Identifier: MIT */
/*
 * When a server that failed may be asked again: after a second at first, after twice as long each
 * time it fails again, up to half a minute; up to a quarter longer by chance, so that the machines
 * of a fleet do not ask at the same time.
 */
#ifndef META_BACKOFF_H
#define META_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#define BACKOFF_FIRST_NS UINT64_C(1000000000)
#define BACKOFF_LAST_NS UINT64_C(30000000000)

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
static inline void backoff_failed(struct backoff *backoff, uint64_t now_ns, uint16_t chance)
{
	uint64_t delay = backoff->delay_ns ? backoff->delay_ns * 2 : BACKOFF_FIRST_NS;

	backoff->delay_ns = delay < BACKOFF_LAST_NS ? delay : BACKOFF_LAST_NS;
	backoff->next_ns = now_ns + backoff->delay_ns + backoff->delay_ns / 4 * chance / UINT16_MAX;
}

/* The server answered. */
static inline void backoff_reset(struct backoff *backoff)
{
	*backoff = (struct backoff){0};
}

#endif
