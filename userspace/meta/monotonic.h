/* SPDX-License-Identifier: MIT */
/* Waits that end at a time of CLOCK_MONOTONIC, which no clock setting moves. */
#ifndef META_MONOTONIC_H
#define META_MONOTONIC_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

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
	struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000),
				    .tv_nsec = (long)(deadline_ns % 1000000000)};

	return pthread_cond_timedwait(cond, lock, &deadline);
}

#endif
