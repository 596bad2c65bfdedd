/* SPDX-License-Identifier: MIT */
/*
 * A thread whose end is bounded: one that hangs is left behind, and frees what it uses when it
 * returns, or with the process.
 */
#ifndef META_THREAD_H
#define META_THREAD_H

#include <stdint.h>

#include "privileges/keep.h"

struct meta_thread_ops {
	enum privileges_role role; /* the thread writes no files in it */
	void (*run)(void *context);
	void (*stop)(void *context); /* from another thread: run() is to return soon */
	void (*destroy)(void *context); /* when run() returned */
};

struct meta_thread;

/*
 * Starts it, with signals blocked: the main thread handles them. If it cannot enter its role it ends
 * at once; the event thread, which enters one, too, reports why. Owns the context from here on; a
 * failure destroys it. Returns 0 or -errno.
 */
int meta_thread_start(const struct meta_thread_ops *ops, void *context,
		      struct meta_thread **thread);

/* Stops it without a wait: several end in the time of one. Accepts NULL. */
void meta_thread_stop(struct meta_thread *thread);

/*
 * Stops it, and waits for its end until `deadline_ns` of CLOCK_MONOTONIC. The caller must not use
 * it any more. Accepts NULL.
 */
void meta_thread_end(struct meta_thread *thread, uint64_t deadline_ns);

#endif
