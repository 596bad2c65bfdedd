/* SPDX-License-Identifier: MIT */
/* Memory from an arena is zeroed, aligned, and its own. */
#include <string.h>

#include "unit.h"
#include "util/arena.h"

static void test_allocations(void **state)
{
	struct arena arena = {0};
	unsigned char *blocks[300];

	for (size_t i = 0; i < 300; i++) {
		size_t size = i * 7 % 61 + 1;

		blocks[i] = arena_alloc(&arena, size);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(blocks[i][j], 0);
		memset(blocks[i], (int)i, size);
	}
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(blocks[i][i * 7 % 61], (unsigned char)i);
	arena_finish(&arena);
	arena_finish(&arena);
}

static void test_sizes(void **state)
{
	struct arena arena = {0};

	assert_non_null(arena_alloc(&arena, 0));
	assert_non_null(arena_alloc(&arena, 1000000));
	assert_non_null(arena_alloc(&arena, 1));
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX - 64));
	arena_finish(&arena);
}

static void test_text(void **state)
{
	struct arena arena = {0};
	const char *text = arena_text(&arena, "abcdef", 3);

	assert_string_equal(text, "abc");
	assert_string_equal(arena_text(&arena, "", 0), "");
	assert_string_equal(text, "abc");
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_allocations),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_text),
};

UNIT_GROUP(tests);
