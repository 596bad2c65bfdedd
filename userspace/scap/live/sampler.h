/* SPDX-License-Identifier: MIT */
/*
 * A thread that has an iterator over sockets run again and again, whose program writes an event of
 * each. It goes through some at a time and rests in between, so that neither their number nor the
 * kernel's locks make anyone wait.
 */
#ifndef SCAP_LIVE_SAMPLER_H
#define SCAP_LIVE_SAMPLER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct live_sampler {
	pthread_t thread;
	sem_t end; /* posted: the thread is to end */
	uint64_t interval_ns; /* from the beginning of one pass to that of the next */
	_Atomic uint64_t failed; /* passes that failed */
	_Atomic int error; /* -errno of the last of them */
	int link; /* of the iterator; borrowed while the thread runs */
	bool runs;
};

/* At least a millisecond. The sampler is zeroed. Returns 0 or -errno. */
int live_sampler_start(struct live_sampler *sampler, int link, uint64_t interval_ns);

/* Ends the thread, if it runs; waits for what it reads now. */
void live_sampler_stop(struct live_sampler *sampler);

/*
 * Goes through all sockets once. end: when it is posted, the pass ends early and takes it; NULL:
 * it does not, nor rest. Returns how many sockets it went through, or -errno.
 */
int live_sampler_pass(int link, sem_t *end);

#endif
