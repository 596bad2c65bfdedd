/* SPDX-License-Identifier: MIT */
/*
 * Memory for many small, short-lived objects: blocks of a size come from slabs of their own, and a
 * slab without blocks goes back to the system. Not thread-safe.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>
#include <stdint.h>

enum {
	POOL_BLOCK_MAX = 8192, /* larger blocks come from the heap */
	POOL_CLASSES_COUNT = 32,
};

struct pool_slab;

/* A zeroed struct is an empty pool. */
struct pool {
	struct pool_slab *slabs[POOL_CLASSES_COUNT]; /* with a free block */
	struct pool_slab *full; /* without */
	struct pool_slab *spares; /* without blocks, kept for the next need */
	uint32_t spares_count;
	size_t held; /* bytes that it has from the system */
	uint64_t allocations; /* so far */
};

/* Frees all slabs. Blocks above POOL_BLOCK_MAX must have been freed before. */
void pool_finish(struct pool *pool);

/* A block of at least `bytes`, aligned to 16, its content undefined; NULL if out of memory. */
void *pool_alloc(struct pool *pool, size_t bytes);

/* Frees a block; `bytes` is the size passed to pool_alloc(). Accepts NULL. */
void pool_free(struct pool *pool, void *block, size_t bytes);

#endif
