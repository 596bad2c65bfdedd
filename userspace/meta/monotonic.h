/* SPDX-License-Identifier: MIT */
/* Waits that end at a time of CLOCK_MONOTONIC, which no clock setting moves. */
#ifndef META_MONOTONIC_H
#define META_MONOTONIC_H

#include <pthread.h>
#include <stdint.h>

#include "util/clock.h"

static inline void monotonic_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* As pthread_cond_timedwait(). */
static inline int monotonic_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns)
{
	struct timespec deadline = clock_timespec(deadline_ns);

	return pthread_cond_timedwait(cond, lock, &deadline);
}

#endif
