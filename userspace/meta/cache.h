/* SPDX-License-Identifier: MIT */
/*
 * What runtimes said of containers before the containers were seen; for all threads of meta.h. Who
 * follows a runtime is an owner of entries. The entries that were put longest ago are dropped at
 * the limits. Ids that users choose may be used again at any time: only those of 64 digits are
 * kept. And a source with the cache before it.
 */
#ifndef META_CACHE_H
#define META_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "meta/source.h"
#include "sinsp/state/containers/container.h"

enum {
	META_CACHE_ENTRIES_MAX = 4096,
	META_CACHE_MISSING_MAX = 1024, /* that no runtime knows: they drop none of the others */
	META_CACHE_TEXT_BYTES_MAX = 8 * 1024 * 1024, /* of all descriptions */
	META_CACHE_OWNERS_MAX = 128,
	META_CACHE_REMOVED_S = 30, /* a container's last events may be read after its removal */
};

enum meta_cache_state {
	META_CACHE_NONE, /* nothing is known */
	META_CACHE_MISSING, /* no runtime knew it when it was asked a short time ago */
	META_CACHE_SOME, /* META_SOURCE_SOME */
	META_CACHE_PART, /* META_SOURCE_PART: a list had it, or who follows did not ask for more */
	META_CACHE_WHOLE,
};

struct meta_cache;

/* With one reference; NULL if out of memory. */
struct meta_cache *meta_cache_create(void);
struct meta_cache *meta_cache_ref(struct meta_cache *cache);
void meta_cache_unref(struct meta_cache *cache); /* accepts NULL */

/* A new owner, which is not ready; -E2BIG: too many. Owners are there to the end. */
int meta_cache_add_owner(struct meta_cache *cache);

/* The owner has put what its runtime lists, or there is no runtime. */
void meta_cache_owner_ready(struct meta_cache *cache, int owner);

/* Waits until all owners are ready, at most until `deadline_ns` of CLOCK_MONOTONIC. */
void meta_cache_wait_ready(struct meta_cache *cache, uint64_t deadline_ns);

/*
 * Copies a description, of a container that is known in that state: META_CACHE_SOME or
 * above. A part does not take the place of what another owner knows wholly.
 */
void meta_cache_put(struct meta_cache *cache, int owner, const char *id,
		    const struct state_container_info *info, enum meta_cache_state state);

/* No runtime knows the container; true until `until_ns` of CLOCK_MONOTONIC, or until one does. */
void meta_cache_put_missing(struct meta_cache *cache, const char *id, uint64_t until_ns);

/* The container was removed: it is known for a while. `now_ns` is of CLOCK_MONOTONIC. */
void meta_cache_remove(struct meta_cache *cache, int owner, const char *id, uint64_t now_ns);

/* A list of all containers of an owner begins; at its end those are removed that it does not have.
 */
void meta_cache_begin_list(struct meta_cache *cache, int owner);
void meta_cache_end_list(struct meta_cache *cache, int owner);

/* Adds copies of what is known to an empty description. Returns in which state that is. */
enum meta_cache_state meta_cache_find(struct meta_cache *cache, const char *id, uint64_t now_ns,
				      struct state_container_info *info);

/*
 * A source with the cache before it: what runtimes said is not asked for again. A container that
 * the cache knows from a list, and the source in part, needs no look-up.
 */

/* Owns `source` from here on, also after a failure; takes a reference of the cache. NULL if out of
 * memory.
 */
struct meta_source *meta_cached_create(struct meta_source *source, struct meta_cache *cache);

#endif
