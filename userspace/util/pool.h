/* SPDX-License-Identifier: MIT */
/*
 * Memory for many small objects that come and go: blocks are taken from large slabs and kept in
 * free lists by size, so that a warm pool neither allocates nor frees. One thread at a time.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>

enum {
	POOL_BLOCK_MAX = 8192, /* larger blocks go straight to the heap */
	POOL_CLASSES_COUNT = 32,
};

struct pool_block;
struct pool_slab;

/* A zeroed struct is an empty pool. */
struct pool {
	struct pool_block *free[POOL_CLASSES_COUNT];
	struct pool_slab *slabs;
	size_t slab_used; /* of the newest slab */
};

/* Frees all slabs. Blocks above POOL_BLOCK_MAX must have been freed before. */
void pool_finish(struct pool *pool);

/* A block of at least `bytes`, aligned to 16, its content undefined; NULL without memory. */
void *pool_alloc(struct pool *pool, size_t bytes);

/* Gives a block back; `bytes` as it was asked for. Accepts NULL. */
void pool_free(struct pool *pool, void *block, size_t bytes);

#endif
