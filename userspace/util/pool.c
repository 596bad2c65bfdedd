/* SPDX-License-Identifier: MIT */
/* The pool: free lists for 32 sizes (four for each doubling), filled from slabs of 64 KiB. */
#include "util/pool.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_POISON 1
#endif
#endif

#ifdef POOL_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { SLAB_BYTES = 65536, GRANULE = 16, LINEAR_MAX = 64 };

struct pool_block {
	struct pool_block *next;
};

struct pool_slab {
	struct pool_slab *next;
	_Alignas(GRANULE) unsigned char bytes[];
};

/* The free list for a size, and how large its blocks are. */
static unsigned int class_of(size_t bytes, size_t *block_bytes)
{
	unsigned int log2, quarter;

	if (bytes <= LINEAR_MAX) {
		unsigned int class = bytes ? (unsigned int)(bytes - 1) / GRANULE : 0;

		*block_bytes = (class + 1) * (size_t)GRANULE;
		return class;
	}
	log2 = 63 - (unsigned int)__builtin_clzll(bytes - 1);
	quarter = (unsigned int)((bytes - 1) >> (log2 - 2)) - 4;
	*block_bytes = (size_t)(quarter + 5) << (log2 - 2);
	return 4 + (log2 - 6) * 4 + quarter;
}

static void *take_from_slab(struct pool *pool, size_t bytes)
{
	void *block;

	if (!pool->slabs || SLAB_BYTES - sizeof(*pool->slabs) - pool->slab_used < bytes) {
		struct pool_slab *slab = malloc(SLAB_BYTES);

		if (!slab)
			return NULL;
		ASAN_POISON_MEMORY_REGION(slab->bytes, SLAB_BYTES - sizeof(*slab));
		slab->next = pool->slabs;
		pool->slabs = slab;
		pool->slab_used = 0;
	}
	block = pool->slabs->bytes + pool->slab_used;
	pool->slab_used += bytes;
	return block;
}

void *pool_alloc(struct pool *pool, size_t bytes)
{
	size_t block_bytes;
	unsigned int class;
	struct pool_block *block;

	pool->allocations++;
	if (bytes > POOL_BLOCK_MAX)
		return malloc(bytes);
	class = class_of(bytes, &block_bytes);
	block = pool->free[class];
	if (block) {
		ASAN_UNPOISON_MEMORY_REGION(block, sizeof(*block));
		pool->free[class] = block->next;
	} else {
		block = take_from_slab(pool, block_bytes);
	}
	if (block)
		ASAN_UNPOISON_MEMORY_REGION(block, bytes);
	return block;
}

void pool_free(struct pool *pool, void *memory, size_t bytes)
{
	struct pool_block *block = memory;
	size_t block_bytes;
	unsigned int class;

	if (bytes > POOL_BLOCK_MAX) {
		free(memory);
		return;
	}
	if (!block)
		return;
	class = class_of(bytes, &block_bytes);
	ASAN_UNPOISON_MEMORY_REGION(block, block_bytes);
	block->next = pool->free[class];
	pool->free[class] = block;
	ASAN_POISON_MEMORY_REGION(block, block_bytes);
}

void pool_finish(struct pool *pool)
{
	while (pool->slabs) {
		struct pool_slab *slab = pool->slabs;

		pool->slabs = slab->next;
		ASAN_UNPOISON_MEMORY_REGION(slab, SLAB_BYTES);
		free(slab);
	}
	*pool = (struct pool){0};
}
