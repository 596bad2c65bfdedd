/* SPDX-License-Identifier: MIT */
/*
 * The source that asks the runtimes' sockets: those at their default places, and those that the
 * user names. None has to exist: a runtime may start and end at any time.
 */
#ifndef META_RUNTIMES_SOCKETS_H
#define META_RUNTIMES_SOCKETS_H

#include "meta/source.h"

enum {
	SOCKETS_MAX = 32, /* all together */
	SOCKETS_LOOKUP_MS = 2000, /* for one container, however many sockets are asked */
};

struct sockets_config {
	const char *host_root; /* prefix of all paths; "" or NULL: none */
	const char *const *paths; /* of more sockets, of any runtime; tried first */
	size_t paths_count;
	bool without_defaults; /* only those */
};

/* Returns 0, or -errno with a message. */
int sockets_source_create(const struct sockets_config *config, struct meta_source **source,
			  struct error *err);

#endif
