/* SPDX-License-Identifier: MIT */
/*
 * The interface of what is followed: the events of a runtime, the pods of an API server. A follower
 * has a thread of its own, on which it may block; it pushes what it learns.
 */
#ifndef META_FOLLOWER_H
#define META_FOLLOWER_H

#include "meta/counters.h"
#include "meta/update.h"

struct meta_follower;
struct meta_sink;

struct meta_follower_ops {
	/* Follows until it is stopped. Signals are blocked in its thread. */
	void (*run)(struct meta_follower *follower, struct meta_sink *sink);
	/* From another thread, also before run() begins: run() is to return soon. */
	void (*stop)(struct meta_follower *follower);
	/* When run() returned, or was never called; from any thread. */
	void (*destroy)(struct meta_follower *follower);
};

/* Followers embed this as their first member. */
struct meta_follower {
	const struct meta_follower_ops *ops;
};

/*
 * Pushes an update; waits while too many that were pushed have not been taken. Owns the update from
 * here on, also after a failure; NULL: there was no memory for it, which is counted. Returns 0,
 * -ENOMEM, or -ECANCELED: the follower is being stopped.
 */
int meta_post(struct meta_sink *sink, struct meta_update *update);

/* Adds to a counter of the account. */
void meta_count(struct meta_sink *sink, enum meta_counter counter, uint64_t more);

#endif
