/* SPDX-License-Identifier: MIT */
/* Memory of what an engine keeps, with a bound: groups, texts and buckets. */
#ifndef VIEWS_MEMORY_H
#define VIEWS_MEMORY_H

#include <stddef.h>

#include "util/pool.h"

/* A zeroed struct with a bound has taken none. */
struct views_memory {
	struct pool pool;
	size_t taken, bytes_max;
};

/* A block of that many bytes, its content undefined; NULL: out of memory, or beyond the bound. */
static inline void *views_memory_take(struct views_memory *memory, size_t bytes)
{
	void *block = NULL;

	if (bytes <= memory->bytes_max - memory->taken)
		block = pool_alloc(&memory->pool, bytes);
	if (block)
		memory->taken += bytes;
	return block;
}

/* Frees a block; `bytes` is what it was taken with. Accepts NULL. */
static inline void views_memory_give(struct views_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->taken -= bytes;
	pool_free(&memory->pool, block, bytes);
}

#endif
