/* SPDX-License-Identifier: MIT */
/*
 * How the thread of an output waits, for descriptors or for some time, and writes streams, but
 * never longer than until another thread stops it.
 */
#ifndef OUTPUT_STOP_H
#define OUTPUT_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "output/record.h"

/*
 * How the thread of an output waits: for descriptors or for some time, but never longer than until
 * another thread stops it.
 */

struct output_stop {
	int fd; /* an eventfd: readable from the stop on, so that libraries can wait for it, too */
	atomic_bool stopped;
};

/* Returns 0 or -errno; release with output_stop_finish() in every case. */
int output_stop_init(struct output_stop *stop);
void output_stop_finish(struct output_stop *stop);

/* From any thread: ends the current wait, and all that follow. */
void output_stop_now(struct output_stop *stop);

static inline bool output_is_stopped(const struct output_stop *stop)
{
	return atomic_load_explicit(&stop->stopped, memory_order_relaxed);
}

/*
 * Waits for events of poll(2) on `fd`; -1: only for the time to pass. Returns 1 if there are some,
 * or -ETIMEDOUT, -ECANCELED (stopped), or another -errno. timeout_ms: -1: no limit.
 */
int output_wait(const struct output_stop *stop, int fd, short events, int timeout_ms);

/* Writes batches to descriptors that take a stream of bytes. */

/*
 * Writes the bytes of a batch from the offset `*done` up to `end` and counts those written there,
 * also before an error. Waits for a descriptor that takes none, which should not block for this.
 * Returns 0, -ECANCELED (stopped), or another -errno.
 */
int output_stop_write(int fd, const struct output_stop *stop, const struct output_batch *batch,
		      size_t end, size_t *done);

#endif
