/* SPDX-License-Identifier: MIT */
/*
 * A source with the cache before it: what runtimes said is not asked for again. A container that
 * the cache knows from a list, and the source in part, needs no look-up.
 */
#ifndef META_CACHED_H
#define META_CACHED_H

#include "meta/cache.h"
#include "meta/source.h"

/* Owns `source` from here on, also after a failure; takes a reference of the cache. NULL if out of
 * memory.
 */
struct meta_source *meta_cached_create(struct meta_source *source, struct meta_cache *cache);

#endif
