/* SPDX-License-Identifier: MIT */
/* The cache of descriptions, and a source that asks it first. */
#include "meta/cache.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "meta/requests.h"
#include "sinsp/state/container_state.h"
#include "util/clock.h"
#include "util/hash.h"

enum { BUCKETS = 1024, NO_OWNER = -1, ID_DIGITS = 64 };

#define NS_PER_S UINT64_C(1000000000)

struct entry {
	struct entry *next; /* of the same bucket */
	struct entry *older, *newer; /* of those that are known, or of the others */
	struct state_container_info *info; /* owned; NULL: no runtime knows it */
	enum meta_cache_state state;
	uint64_t until_ns; /* of CLOCK_MONOTONIC; 0: no end */
	uint64_t list; /* of its owner, when it was put */
	int owner; /* NO_OWNER: of META_CACHE_MISSING */
	char id[];
};

struct owner {
	bool ready;
	uint64_t list; /* how many it has begun */
};

/* In the order in which they were put. */
struct list {
	struct entry *oldest, *newest;
	uint32_t count;
};

struct meta_cache {
	atomic_uint refs;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t readied;
	struct owner owners[META_CACHE_OWNERS_MAX];
	int owners_count, unready;
	struct entry *buckets[BUCKETS];
	struct list known, missing;
	size_t text_bytes;
};

struct meta_cache *meta_cache_create(void)
{
	struct meta_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	atomic_init(&cache->refs, 1);
	pthread_mutex_init(&cache->lock, NULL);
	meta_cond_init(&cache->readied);
	return cache;
}

struct meta_cache *meta_cache_ref(struct meta_cache *cache)
{
	atomic_fetch_add(&cache->refs, 1);
	return cache;
}

static struct entry **cache_find(struct meta_cache *cache, const char *id)
{
	struct entry **link = &cache->buckets[hash_bytes(id, strlen(id)) % BUCKETS];

	while (*link && strcmp((*link)->id, id) != 0)
		link = &(*link)->next;
	return link;
}

static struct list *cache_list_of(struct meta_cache *cache, const struct state_container_info *info)
{
	return info ? &cache->known : &cache->missing;
}

static void cache_drop(struct meta_cache *cache, struct entry *entry)
{
	struct list *list = cache_list_of(cache, entry->info);

	*cache_find(cache, entry->id) = entry->next;
	*(entry->older ? &entry->older->newer : &list->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &list->newest) = entry->older;
	list->count--;
	if (entry->info)
		cache->text_bytes -= entry->info->texts.bytes;
	state_container_info_destroy(entry->info);
	free(entry);
}

void meta_cache_unref(struct meta_cache *cache)
{
	if (!cache || atomic_fetch_sub(&cache->refs, 1) > 1)
		return;
	while (cache->known.oldest)
		cache_drop(cache, cache->known.oldest);
	while (cache->missing.oldest)
		cache_drop(cache, cache->missing.oldest);
	pthread_cond_destroy(&cache->readied);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

int meta_cache_add_owner(struct meta_cache *cache)
{
	int owner = -E2BIG;

	pthread_mutex_lock(&cache->lock);
	if (cache->owners_count < META_CACHE_OWNERS_MAX) {
		owner = cache->owners_count++;
		cache->unready++;
	}
	pthread_mutex_unlock(&cache->lock);
	return owner;
}

void meta_cache_owner_ready(struct meta_cache *cache, int owner)
{
	pthread_mutex_lock(&cache->lock);
	cache->unready -= !cache->owners[owner].ready;
	cache->owners[owner].ready = true;
	pthread_cond_broadcast(&cache->readied);
	pthread_mutex_unlock(&cache->lock);
}

void meta_cache_wait_ready(struct meta_cache *cache, uint64_t deadline_ns)
{
	pthread_mutex_lock(&cache->lock);
	while (cache->unready && meta_cond_wait(&cache->readied, &cache->lock, deadline_ns) == 0)
		;
	pthread_mutex_unlock(&cache->lock);
}

/* Adds an entry in the place of the one with that id. Owns `info`. Needs the lock. */
static struct entry *cache_add(struct meta_cache *cache, const char *id,
			       struct state_container_info *info)
{
	size_t size = strlen(id) + 1;
	struct entry *entry = malloc(sizeof(*entry) + size), **link;
	struct list *list = cache_list_of(cache, info);
	uint32_t max = info ? META_CACHE_ENTRIES_MAX : META_CACHE_MISSING_MAX;

	if (!entry) {
		state_container_info_destroy(info);
		return NULL;
	}
	if (*cache_find(cache, id))
		cache_drop(cache, *cache_find(cache, id));
	*entry = (struct entry){.info = info, .older = list->newest, .owner = NO_OWNER};
	memcpy(entry->id, id, size);
	link = cache_find(cache, id);
	*link = entry;
	*(list->newest ? &list->newest->newer : &list->oldest) = entry;
	list->newest = entry;
	list->count++;
	cache->text_bytes += info ? info->texts.bytes : 0;
	while (list->oldest != entry &&
	       (list->count > max || (info && cache->text_bytes > META_CACHE_TEXT_BYTES_MAX)))
		cache_drop(cache, list->oldest);
	return entry;
}

/* Whether an id is one that a runtime makes: no other container will have it. */
static bool is_made_by_runtime(const char *id)
{
	return strspn(id, "0123456789abcdef") == ID_DIGITS && id[ID_DIGITS] == '\0';
}

void meta_cache_put(struct meta_cache *cache, int owner, const char *id,
		    const struct state_container_info *info, enum meta_cache_state state)
{
	struct state_container_info *copy;
	struct entry *entry;

	if (!is_made_by_runtime(id))
		return;
	copy = state_container_info_create();
	if (!copy || container_merge(copy, info) < 0) {
		state_container_info_destroy(copy);
		return;
	}
	copy->texts.bytes = info->texts.bytes;
	pthread_mutex_lock(&cache->lock);
	entry = *cache_find(cache, id);
	if (entry && entry->owner != owner && entry->state > state) {
		state_container_info_destroy(copy);
	} else {
		entry = cache_add(cache, id, copy);
		if (entry) {
			entry->state = state;
			entry->owner = owner;
			entry->list = cache->owners[owner].list;
		}
	}
	pthread_mutex_unlock(&cache->lock);
}

void meta_cache_put_missing(struct meta_cache *cache, const char *id, uint64_t until_ns)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = *cache_find(cache, id);
	/* One that was put meanwhile is right. */
	if (!entry || !entry->info)
		entry = cache_add(cache, id, NULL);
	if (entry && !entry->info) {
		entry->state = META_CACHE_MISSING;
		entry->until_ns = until_ns;
	}
	pthread_mutex_unlock(&cache->lock);
}

void meta_cache_remove(struct meta_cache *cache, int owner, const char *id, uint64_t now_ns)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = *cache_find(cache, id);
	if (entry && entry->owner == owner)
		entry->until_ns = now_ns + META_CACHE_REMOVED_S * NS_PER_S;
	pthread_mutex_unlock(&cache->lock);
}

void meta_cache_begin_list(struct meta_cache *cache, int owner)
{
	pthread_mutex_lock(&cache->lock);
	cache->owners[owner].list++;
	pthread_mutex_unlock(&cache->lock);
}

void meta_cache_end_list(struct meta_cache *cache, int owner)
{
	struct entry *entry, *newer;

	pthread_mutex_lock(&cache->lock);
	for (entry = cache->known.oldest; entry; entry = newer) {
		newer = entry->newer;
		if (entry->owner == owner && entry->list != cache->owners[owner].list)
			cache_drop(cache, entry);
	}
	pthread_mutex_unlock(&cache->lock);
}

enum meta_cache_state meta_cache_find(struct meta_cache *cache, const char *id, uint64_t now_ns,
				      struct state_container_info *info)
{
	enum meta_cache_state state = META_CACHE_NONE;
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = *cache_find(cache, id);
	if (entry && entry->until_ns && entry->until_ns <= now_ns) {
		cache_drop(cache, entry);
		entry = NULL;
	}
	if (entry)
		state = entry->state;
	if (entry && entry->info && container_merge(info, entry->info) < 0)
		state = META_CACHE_NONE;
	pthread_mutex_unlock(&cache->lock);
	return state;
}

struct cached {
	struct meta_source base;
	struct meta_source *source; /* owned */
	struct meta_cache *cache; /* a reference */
};

static int cache_describe(struct meta_source *base, const struct meta_request *request,
			  struct state_container_info *info, struct error *err)
{
	struct cached *cached = (struct cached *)base;
	enum meta_cache_state state = META_CACHE_NONE;
	int r;

	/* It knows containers of root. */
	if (request->owner == STATE_OWNER_ROOT)
		state = meta_cache_find(cached->cache, request->id, clock_ns(CLOCK_MONOTONIC),
					info);
	if (state == META_CACHE_WHOLE)
		return 0;
	r = cached->source->ops->describe(cached->source, request, info, err);
	if (state < META_CACHE_SOME || r == 0)
		return r;
	if (r == META_SOURCE_PART)
		return state == META_CACHE_PART ? 0 : META_SOURCE_PART;
	return META_SOURCE_SOME;
}

static void cache_destroy(struct meta_source *base)
{
	struct cached *cached = (struct cached *)base;

	meta_source_destroy(cached->source);
	meta_cache_unref(cached->cache);
	free(cached);
}

struct meta_source *meta_cached_create(struct meta_source *source, struct meta_cache *cache)
{
	static const struct meta_source_ops ops = {cache_describe, cache_destroy};
	struct cached *cached = calloc(1, sizeof(*cached));

	if (!cached) {
		meta_source_destroy(source);
		return NULL;
	}
	*cached = (struct cached){{&ops}, source, meta_cache_ref(cache)};
	return &cached->base;
}
