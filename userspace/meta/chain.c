/* SPDX-License-Identifier: MIT */
#include "meta/chain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct chain {
	struct meta_source source;
	struct meta_source *sources[CHAIN_SOURCES_MAX]; /* owned */
	size_t count;
};

/* One that fails may be the one that would know it: its failure is the answer if no other knows. */
static int chain_describe(struct meta_source *source, const struct meta_request *request,
			  struct sinsp_container_info *info, struct error *err)
{
	struct chain *chain = (struct chain *)source;
	int result = -ENOENT;

	for (size_t i = 0; result != 0 && i < chain->count; i++) {
		struct meta_source *next = chain->sources[i];
		struct error *next_err = result == -ENOENT ? err : NULL;
		int code = next->ops->describe(next, request, info, next_err);

		if (code >= 0 || result == -ENOENT)
			result = code;
	}
	return result;
}

static void chain_destroy(struct meta_source *source)
{
	struct chain *chain = (struct chain *)source;

	for (size_t i = 0; i < chain->count; i++)
		meta_source_destroy(chain->sources[i]);
	free(chain);
}

struct meta_source *meta_chain_create(struct meta_source *const *sources, size_t count)
{
	static const struct meta_source_ops ops = {chain_describe, chain_destroy};
	struct chain *chain = calloc(1, sizeof(*chain));
	bool is_whole = chain;

	assert(count <= CHAIN_SOURCES_MAX);
	for (size_t i = 0; i < count; i++) {
		is_whole = is_whole && sources[i];
		if (!chain)
			meta_source_destroy(sources[i]);
		else
			chain->sources[chain->count++] = sources[i];
	}
	if (!chain)
		return NULL;
	chain->source.ops = &ops;
	if (is_whole)
		return &chain->source;
	chain_destroy(&chain->source);
	return NULL;
}
