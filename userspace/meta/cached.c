/* SPDX-License-Identifier: MIT */
#include "meta/cached.h"

#include <stdlib.h>

#include "util/clock.h"

struct cached {
	struct meta_source base;
	struct meta_source *source; /* owned */
	struct meta_cache *cache; /* a reference */
};

static int describe(struct meta_source *base, const struct meta_request *request,
		    struct sinsp_container_info *info, struct error *err)
{
	struct cached *cached = (struct cached *)base;
	enum meta_cache_state state = META_CACHE_NONE;
	int code;

	/* It knows containers of root. */
	if (request->owner == SINSP_OWNER_ROOT)
		state = meta_cache_find(cached->cache, request->id, clock_ns(CLOCK_MONOTONIC),
					info);
	if (state == META_CACHE_WHOLE)
		return 0;
	code = cached->source->ops->describe(cached->source, request, info, err);
	if (state < META_CACHE_SOME || code == 0)
		return code;
	if (code == META_SOURCE_PART)
		return state == META_CACHE_PART ? 0 : META_SOURCE_PART;
	return META_SOURCE_SOME;
}

static void destroy(struct meta_source *base)
{
	struct cached *cached = (struct cached *)base;

	meta_source_destroy(cached->source);
	meta_cache_unref(cached->cache);
	free(cached);
}

struct meta_source *meta_cached_create(struct meta_source *source, struct meta_cache *cache)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct cached *cached = calloc(1, sizeof(*cached));

	if (!cached) {
		meta_source_destroy(source);
		return NULL;
	}
	*cached = (struct cached){{&ops}, source, meta_cache_ref(cache)};
	return &cached->base;
}
