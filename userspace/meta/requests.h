/* SPDX-License-Identifier: MIT */
/* A queue of requests between threads, and waits that end at a time of CLOCK_MONOTONIC. */
#ifndef META_REQUESTS_H
#define META_REQUESTS_H

#include <pthread.h>
#include <stdint.h>

#include "meta/sink.h"
#include "meta/source.h"
#include "util/clock.h"

/* Waits that end at a time of CLOCK_MONOTONIC, which no clock setting moves. */

static inline void meta_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* As pthread_cond_timedwait(). */
static inline int meta_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns)
{
	struct timespec deadline = clock_timespec(deadline_ns);

	return pthread_cond_timedwait(cond, lock, &deadline);
}

/*
 * A queue of requests between threads. Each thread that uses it has a reference: one that hangs may
 * outlive the others.
 */

struct meta_asked {
	struct meta_asked *next;
	struct meta_request request; /* its texts are owned */
	struct state_users_wanted
		users; /* of a request for users, which has no `request`; the same */
	struct meta_update *answer; /* owned; NULL: it was given */
	bool known; /* by a source that was asked */
	bool is_partial; /* what was said last: see struct meta_update */
	bool failed; /* something could not be read, which was counted */
	bool is_forgeable; /* a source returned -EPERM */
	unsigned int retries; /* how often it was asked for again */
	uint64_t begin_ns; /* of CLOCK_MONOTONIC, as the next one */
	uint64_t due_ns; /* not before that */
};

/* Copies with an empty answer; NULL if out of memory. */
struct meta_asked *meta_asked_create(const struct meta_request *request);
struct meta_asked *meta_asked_create_users(const struct state_users_wanted *wanted);

/* Accepts NULL. */
void meta_asked_destroy(struct meta_asked *asked);

struct meta_requests;

/* With one reference; NULL if out of memory. */
struct meta_requests *meta_requests_create(void);
struct meta_requests *meta_requests_ref(struct meta_requests *requests);
void meta_requests_unref(struct meta_requests *requests); /* accepts NULL */

/* Owns the request from here on; destroys it if the queue is closed. Those of a rank keep their
 * order. */
void meta_requests_add(struct meta_requests *requests, struct meta_asked *asked);

/*
 * Adds, and owns, a request that is not taken before asked->due_ns. Returns false if there are too
 * many of its rank: it is destroyed.
 */
enum { META_REQUESTS_LATER_MAX = 256 };
bool meta_requests_add_later(struct meta_requests *requests, struct meta_asked *asked);

/* Waits for the next request, which the caller destroys or hands on; NULL: the queue is closed. */
struct meta_asked *meta_requests_take(struct meta_requests *requests);

void meta_requests_close(struct meta_requests *requests);

#endif
