/* SPDX-License-Identifier: MIT */
/* A table with one place for each key, and its bytes one after the other in one buffer. */
#include "sinsp/format/span_cache.h"

#include <stdlib.h>

/* When there is no room, all go: what is still used is soon there again. */
static void span_cache_make_room(struct span_cache *cache, size_t len)
{
	if (cache->bytes.len + len <= SPAN_CACHE_BYTES_MAX)
		return;
	buf_clear(&cache->bytes);
	memset(cache->slots, 0, SPAN_CACHE_SLOTS * sizeof(cache->slots[0]));
}

void span_cache_add(struct span_cache *cache, uint64_t key, const char *bytes, size_t len)
{
	size_t at;

	if (!cache->slots)
		cache->slots = calloc(SPAN_CACHE_SLOTS, sizeof(cache->slots[0]));
	if (!cache->slots || len > SPAN_CACHE_BYTES_MAX)
		return;
	span_cache_make_room(cache, len);
	at = cache->bytes.len;
	buf_append(&cache->bytes, bytes, len);
	if (!cache->bytes.failed)
		cache->slots[key % SPAN_CACHE_SLOTS] =
			(struct span_cache_slot){key, (uint32_t)at, (uint32_t)len};
	else
		span_cache_finish(cache);
}

void span_cache_finish(struct span_cache *cache)
{
	buf_finish(&cache->bytes);
	free(cache->slots);
	*cache = (struct span_cache){0};
}
