/* SPDX-License-Identifier: MIT */
/*
 * Follows a runtime: what it lists, then what its events say, is pushed, and kept in the cache for
 * containers that are not seen yet. A runtime may start, end and start again at any time.
 */
#ifndef META_RUNTIMES_FOLLOW_H
#define META_RUNTIMES_FOLLOW_H

#include "meta/cache.h"
#include "meta/sink.h"
#include "meta/runtimes/runtime.h"

enum {
	FOLLOW_LOOKUP_MS = 2000, /* for a list, or for one container */
	FOLLOW_ABSENT_MS = 2000, /* until the second look for a socket that nobody listens on */
	FOLLOW_ABSENT_MAX_MS = 16000, /* each further one comes after twice as long, at most this */
	FOLLOW_POLL_MS = 30000, /* between two lists of a runtime without events */
};

struct follow_config {
	struct runtime *runtime; /* owned from here on, also after a failure */
	const char *used; /* a file that exists if the runtime is used; NULL: it may be */
	struct meta_cache *cache; /* the follower takes a reference */
	bool with_env; /* descriptions are to have the environment */
	bool is_named; /* by the user: it is reported, once, that nobody listens; of all, that
			* another user than root does
			*/
};

/* Returns 0, or -errno with a message. */
int follow_create(const struct follow_config *config, struct meta_follower **follower,
		  struct error *err);

#endif
