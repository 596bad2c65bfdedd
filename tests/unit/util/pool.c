/* SPDX-License-Identifier: MIT */
/* The pool: sizes, alignment, reuse, blocks above its limit, and what goes back to the system. */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/pool.h"

static void gives_aligned_blocks_of_every_size(void **state)
{
	struct pool pool = {0};
	unsigned char *blocks[POOL_BLOCK_MAX / 7 + 2];
	size_t n = 0;

	for (size_t bytes = 0; bytes <= POOL_BLOCK_MAX + 7; bytes += 7) {
		blocks[n] = pool_alloc(&pool, bytes);
		assert_non_null(blocks[n]);
		assert_int_equal((uintptr_t)blocks[n] % 16, 0);
		memset(blocks[n], (int)n & 0xff, bytes);
		n++;
	}
	/* No block lies over another. */
	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at < 7 * i; at++)
			assert_int_equal(blocks[i][at], i & 0xff);
	for (size_t i = 0; i < n; i++)
		pool_free(&pool, blocks[i], 7 * i);
	pool_finish(&pool);
}

static void reuses_blocks_of_the_same_class(void **state)
{
	struct pool pool = {0};
	void *first = pool_alloc(&pool, 100), *second;

	pool_free(&pool, first, 100);
	second = pool_alloc(&pool, 112);
	assert_ptr_equal(first, second);
	assert_ptr_not_equal(pool_alloc(&pool, 100), second);
	pool_free(&pool, second, 112);
	assert_ptr_not_equal(pool_alloc(&pool, 113), second);
	pool_finish(&pool);
}

static void takes_null(void **state)
{
	struct pool pool = {0};

	pool_free(&pool, NULL, 10);
	pool_free(&pool, NULL, POOL_BLOCK_MAX + 1);
	pool_finish(&pool);
	assert_int_equal(pool.held, 0);
}

static unsigned long resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages;
}

/* Whatever the order in which blocks are freed. */
static void gives_empty_slabs_back(void **state)
{
	enum { BLOCKS = 8000, BYTES = 4000, STEP = 7, PAGE = 4096 };
	static void *blocks[BLOCKS];
	struct pool pool = {0};
	unsigned long before = resident_pages(), full;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = pool_alloc(&pool, BYTES);
		memset(blocks[i], 1, BYTES);
	}
	full = resident_pages();
	assert_true(pool.held >= (size_t)BLOCKS * BYTES);
	assert_true((full - before) * PAGE >= (size_t)BLOCKS * BYTES / 2);
	for (int first = 0; first < STEP; first++)
		for (int i = first; i < BLOCKS; i += STEP)
			pool_free(&pool, blocks[i], BYTES);
	assert_true(pool.held <= 1 << 20);
	/* Shadows of what sanitizers watch, an eighth, stay. */
	assert_true((resident_pages() - before) * PAGE <= (size_t)BLOCKS * BYTES / 4);
	pool_finish(&pool);
}

static void free_all(struct pool *pool, void **blocks, int count, size_t bytes)
{
	for (int i = 0; i < count; i++)
		pool_free(pool, blocks[i], bytes);
}

/* Slabs of one size serve another one when they are empty. */
static void uses_spare_slabs_again(void **state)
{
	enum { BLOCKS = 300 };
	void *blocks[BLOCKS];
	struct pool pool = {0};
	size_t held;

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = pool_alloc(&pool, 1000);
	held = pool.held;
	free_all(&pool, blocks, BLOCKS, 1000);
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = pool_alloc(&pool, 500);
	assert_int_equal(pool.held, held);
	free_all(&pool, blocks, BLOCKS, 500);
	pool_finish(&pool);
}

static void counts_large_blocks(void **state)
{
	struct pool pool = {0};
	void *block = pool_alloc(&pool, 100000);

	assert_int_equal(pool.held, 100000);
	pool_free(&pool, block, 100000);
	assert_int_equal(pool.held, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(gives_aligned_blocks_of_every_size),
	cmocka_unit_test(reuses_blocks_of_the_same_class),
	cmocka_unit_test(takes_null),
	cmocka_unit_test(gives_empty_slabs_back),
	cmocka_unit_test(uses_spare_slabs_again),
	cmocka_unit_test(counts_large_blocks),
};

UNIT_GROUP(tests);
