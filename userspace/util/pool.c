/* SPDX-License-Identifier: MIT */
/*
 * The pool: slabs of 64 KiB, aligned to their size so that a block finds its slab. Each has blocks
 * of one of 32 sizes, four for each doubling.
 */
#include "util/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

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

enum {
	SLAB_BYTES = 65536,
	GRANULE = 16,
	LINEAR_MAX = 64,
	SPARES_MAX = 8, /* so that a pool whose need goes up and down asks the system for nothing */
};

struct pool_block {
	struct pool_block *next;
};

struct pool_slab {
	struct pool_slab *next, **link; /* the pointer to it */
	struct pool_block *free; /* blocks that were freed */
	uint32_t used; /* blocks */
	uint32_t fresh; /* where the bytes begin that never were a block */
	uint32_t block_bytes;
	_Alignas(GRANULE) unsigned char bytes[];
};

/* The class of a size, and how large its blocks are. */
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

/*
 * The system gives neighbours of earlier slabs mostly, which are aligned as those are: only then a
 * larger area has to be cut.
 */
static struct pool_slab *map_slab(void)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *area = mmap(NULL, SLAB_BYTES, prot, flags, -1, 0);
	size_t before;

	if (area == MAP_FAILED || (uintptr_t)area % SLAB_BYTES == 0)
		return area == MAP_FAILED ? NULL : (struct pool_slab *)area;
	munmap(area, SLAB_BYTES);
	area = mmap(NULL, 2 * SLAB_BYTES, prot, flags, -1, 0);
	if (area == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)area % SLAB_BYTES;
	if (before)
		munmap(area, before);
	munmap(area + before + SLAB_BYTES, SLAB_BYTES - before);
	return (struct pool_slab *)(area + before);
}

static void unmap_slab(struct pool *pool, struct pool_slab *slab)
{
	ASAN_UNPOISON_MEMORY_REGION(slab, SLAB_BYTES);
	munmap(slab, SLAB_BYTES);
	pool->held -= SLAB_BYTES;
}

static void link_slab(struct pool_slab **list, struct pool_slab *slab)
{
	slab->next = *list;
	slab->link = list;
	if (*list)
		(*list)->link = &slab->next;
	*list = slab;
}

static void unlink_slab(struct pool_slab *slab)
{
	*slab->link = slab->next;
	if (slab->next)
		slab->next->link = slab->link;
}

static void move_slab(struct pool_slab **list, struct pool_slab *slab)
{
	unlink_slab(slab);
	link_slab(list, slab);
}

static struct pool_slab *take_spare(struct pool *pool)
{
	struct pool_slab *slab = pool->spares;

	if (slab) {
		unlink_slab(slab);
		pool->spares_count--;
		return slab;
	}
	slab = map_slab();
	if (slab)
		pool->held += SLAB_BYTES;
	return slab;
}

static struct pool_slab *add_slab(struct pool *pool, unsigned int class, size_t block_bytes)
{
	struct pool_slab *slab = take_spare(pool);

	if (!slab)
		return NULL;
	*slab = (struct pool_slab){.fresh = sizeof(*slab), .block_bytes = (uint32_t)block_bytes};
	ASAN_POISON_MEMORY_REGION(slab->bytes, SLAB_BYTES - sizeof(*slab));
	link_slab(&pool->slabs[class], slab);
	return slab;
}

static bool pool_is_full(const struct pool_slab *slab)
{
	return !slab->free && slab->fresh + slab->block_bytes > SLAB_BYTES;
}

/* A block of a slab that has one. */
static struct pool_block *take_block(struct pool_slab *slab)
{
	struct pool_block *block = slab->free;

	if (block) {
		ASAN_UNPOISON_MEMORY_REGION(block, sizeof(*block));
		slab->free = block->next;
	} else {
		block = (struct pool_block *)((char *)slab + slab->fresh);
		slab->fresh += slab->block_bytes;
	}
	slab->used++;
	return block;
}

static void *alloc_large(struct pool *pool, size_t bytes)
{
	void *block = malloc(bytes);

	if (block)
		pool->held += bytes;
	return block;
}

void *pool_alloc(struct pool *pool, size_t bytes)
{
	size_t block_bytes;
	unsigned int class;
	struct pool_slab *slab;
	void *block;

	pool->allocations++;
	if (bytes > POOL_BLOCK_MAX)
		return alloc_large(pool, bytes);
	class = class_of(bytes, &block_bytes);
	slab = pool->slabs[class];
	if (!slab)
		slab = add_slab(pool, class, block_bytes);
	if (!slab)
		return NULL;
	block = take_block(slab);
	if (pool_is_full(slab))
		move_slab(&pool->full, slab);
	ASAN_UNPOISON_MEMORY_REGION(block, bytes);
	return block;
}

static void pool_give_back(struct pool *pool, struct pool_slab *slab)
{
	if (pool->spares_count < SPARES_MAX) {
		pool->spares_count++;
		move_slab(&pool->spares, slab);
		return;
	}
	unlink_slab(slab);
	unmap_slab(pool, slab);
}

void pool_free(struct pool *pool, void *memory, size_t bytes)
{
	struct pool_block *block = memory;
	struct pool_slab *slab, **list;
	size_t block_bytes;

	if (!block)
		return;
	if (bytes > POOL_BLOCK_MAX) {
		pool->held -= bytes;
		free(memory);
		return;
	}
	slab = (struct pool_slab *)((uintptr_t)memory & ~((uintptr_t)SLAB_BYTES - 1));
	list = &pool->slabs[class_of(bytes, &block_bytes)];
	if (pool_is_full(slab))
		move_slab(list, slab);
	ASAN_UNPOISON_MEMORY_REGION(block, slab->block_bytes);
	block->next = slab->free;
	slab->free = block;
	ASAN_POISON_MEMORY_REGION(block, slab->block_bytes);
	/* The last slab of a size stays, as most blocks are freed to be needed again. */
	if (--slab->used == 0 && (*list != slab || slab->next))
		pool_give_back(pool, slab);
}

static void unmap_all(struct pool *pool, struct pool_slab *slab)
{
	while (slab) {
		struct pool_slab *next = slab->next;

		unmap_slab(pool, slab);
		slab = next;
	}
}

void pool_finish(struct pool *pool)
{
	for (unsigned int i = 0; i < POOL_CLASSES_COUNT; i++)
		unmap_all(pool, pool->slabs[i]);
	unmap_all(pool, pool->full);
	unmap_all(pool, pool->spares);
	*pool = (struct pool){0};
}
