/* SPDX-License-Identifier: MIT */
/*
 * Threads that ask a source for the containers of a queue, or for their users. One that hangs is
 * left behind.
 */
#ifndef META_STAGE_H
#define META_STAGE_H

#include <stdint.h>

#include "meta/requests.h"
#include "meta/sink.h"
#include "privileges/keep.h"

/*
 * A thread whose end is bounded: one that hangs is left behind, and frees what it uses when it
 * returns, or with the process.
 */

struct meta_thread_ops {
	enum privileges_role role; /* the thread writes no files in it */
	void (*run)(void *context);
	void (*stop)(void *context); /* from another thread: run() is to return soon */
	void (*destroy)(void *context); /* when run() returned */
};

struct meta_thread;

/*
 * Starts it, with signals blocked: the main thread handles them. If it cannot enter its role it
 * ends at once; the event thread, which enters one, too, reports why. Owns the context from here
 * on; a failure destroys it. Returns 0 or -errno.
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

/*
 * Reads the users of containers through the roots of their processes, which may wait for a disk, on
 * a thread of its own: a runtime that hangs does not hold it up. Its updates are of META_USERS.
 */

/*
 * Starts the thread, which has references of its own: to `in`, the requests for users, and `out`.
 * Owns `proc` from here on, also after a failure. Returns 0 or -errno.
 */
int meta_users_start(struct meta_requests *in, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread);

/*
 * A thread that asks a source for the containers of a queue. Stages follow each other, the fastest
 * source first: a container that one does not know, or not wholly, goes on to the next one. The
 * first description is the answer, later ones complete it. One that no stage knows, or of which the
 * last one failed to say what it knows, goes back to the first one, after a while, a few times: its
 * runtime may write down or answer later what it knows.
 */

enum {
	STAGE_RETRIES = 9,
	STAGE_RETRY_FIRST_MS = 30,
	STAGE_RETRY_LAST_MS = 5000,
	STAGE_MISSING_MS = 60000, /* after the last one */
};

/* Each stage takes references of its own. */
struct meta_stage_queues {
	struct meta_requests *in; /* closing it stops the stage */
	struct meta_requests *next; /* of the next stage; NULL: this is the last one */
	struct meta_requests *first; /* of the first stage */
	struct meta_sink *out;
};

/* Owns the source from here on, also after a failure. Returns 0 or -errno. */
int meta_stage_start(struct meta_source *source, const struct meta_stage_queues *queues,
		     struct meta_thread **thread);

#endif
