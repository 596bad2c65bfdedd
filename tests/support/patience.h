/* SPDX-License-Identifier: MIT */
/* How tests wait on a machine that is slow or does other things: for a condition, and long. */
#ifndef TESTS_PATIENCE_H
#define TESTS_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "util/clock.h"

enum { PATIENCE_MS = 60000, PATIENCE_TRIES = 20 };

#define PATIENCE_NS (PATIENCE_MS * UINT64_C(1000000))

/*
 * Waits until a condition holds, which is evaluated again and again; as an expression it is false
 * if it never does.
 */
#define waited_until(condition)                                                                    \
	({                                                                                         \
		uint64_t waited_end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;                  \
		bool waited_holds;                                                                 \
                                                                                                   \
		while (!(waited_holds = (condition)) && clock_ns(CLOCK_MONOTONIC) < waited_end_ns) \
			usleep(1000);                                                              \
		waited_holds;                                                                      \
	})

/*
 * Whether something, which returns how many ns it took, takes less than a time: the quickest of
 * several tries, as other processes only make it slower.
 */
static inline bool takes_less(uint64_t ns, uint64_t (*something)(void *context), void *context)
{
	for (int i = 0; i < PATIENCE_TRIES; i++)
		if (something(context) < ns)
			return true;
	return false;
}

#endif
