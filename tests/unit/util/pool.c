/* SPDX-License-Identifier: MIT */
/* The pool: sizes, alignment, reuse, blocks above its limit. */
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
	assert_null(pool.slabs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(gives_aligned_blocks_of_every_size),
	cmocka_unit_test(reuses_blocks_of_the_same_class),
	cmocka_unit_test(takes_null),
};

UNIT_GROUP(tests);
