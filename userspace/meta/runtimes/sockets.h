/* SPDX-License-Identifier: MIT */
/*
 * The runtimes' sockets: those at their default places, and those that the user names. None has to
 * exist: a runtime may start and end at any time. A source asks them, followers follow them.
 */
#ifndef META_RUNTIMES_SOCKETS_H
#define META_RUNTIMES_SOCKETS_H

#include "meta/cache.h"
#include "meta/sink.h"
#include "meta/source.h"

enum {
	SOCKETS_MAX = 64, /* all together; one that may be containerd's counts twice, for its two
			     interfaces */
	SOCKETS_LOOKUP_MS = 2000, /* for one container, however many sockets are asked */
};

struct sockets_config {
	const char *host_root; /* prefix of all paths; "" or NULL: none */
	const char *const *paths; /* of more sockets, of any runtime; tried first */
	size_t paths_count;
	bool without_defaults; /* only those */
	bool with_env; /* what followers push has the environment of containers */
	struct meta_cache *cache; /* of what followers learn; references are taken; NULL: none */
};

/* Returns 0, or -errno with a message. */
int sockets_source_create(const struct sockets_config *config, struct meta_source **source,
			  struct error *err);

/*
 * Makes a source that asks `source`, and knows whether the sockets can be asked for more: if none
 * of them is there that may know the container, what `source` says is all. Owns `source` from here
 * on, also after a failure. Returns 0, or -errno with a message.
 */
int sockets_ahead_create(const struct sockets_config *config, struct meta_source *source,
			 struct meta_source **result, struct error *err);

/*
 * Makes a follower for each, for the caller to start or to destroy; config->cache is not NULL.
 * Returns 0, or -errno with a message and without followers.
 */
int sockets_followers_create(const struct sockets_config *config,
			     struct meta_follower *followers[SOCKETS_MAX], size_t *count,
			     struct error *err);

/*
 * Connects to each socket that exists, for at most SOCKETS_LOOKUP_MS, and reports it: `apis` are
 * bits of enum runtime_api that it may speak; result: 0, or -errno with a message; -EAGAIN: it was
 * not asked, since that would start its runtime. Returns 0, or -errno with a message.
 */
typedef void sockets_seen(void *data, const char *path, unsigned int apis, int result,
			  const struct error *err);
int sockets_survey(const struct sockets_config *config, sockets_seen *seen, void *data,
		   struct error *err);

#endif
