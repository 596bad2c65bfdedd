/* SPDX-License-Identifier: MIT */
/* Tables of constants: what they have, of which types they are, and whatever their size. */
#include <stdlib.h>

#include "sinsp/filter/program.h"
#include "unit.h"

static struct value_table *make(struct arena *arena, enum param_type type,
				const struct filter_constant *constants, uint32_t n)
{
	struct value_table *table;

	assert_int_equal(value_table_create(arena, type, constants, n, &table), 0);
	assert_non_null(table);
	return table;
}

static void test_numbers(void **state)
{
	static const struct filter_constant constants[] = {
		{.value.u64 = 0}, {.value.u64 = 7},	     {.value.u64 = UINT64_MAX},
		{.value.u64 = 7}, {.value.u64 = 1ull << 40}, {.value.i64 = -2},
	};
	static const uint64_t others[] = {1, 8, 1ull << 63, (1ull << 40) + 7, (uint64_t)-3};
	struct arena arena = {0};
	const struct value_table *table = make(&arena, PT_INT64, constants, 6);

	for (size_t i = 0; i < 6; i++)
		assert_true(value_table_has(table, &constants[i].value));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(value_table_has(table, &(struct field_value){.u64 = others[i]}));
	arena_finish(&arena);
}

static struct field_value bytes(const char *data, size_t len)
{
	return (struct field_value){.bytes = {data, len}};
}

static void test_texts(void **state)
{
	static const struct filter_constant constants[] = {
		{.value.bytes = {"", 0}},
		{.value.bytes = {"cat", 3}},
		{.value.bytes = {"a\0b", 3}},
		{.value.bytes = {"a", 1}},
	};
	static const enum param_type types[] = {PT_CHARBUF, PT_FSPATH, PT_FSRELPATH, PT_BYTEBUF};
	struct field_value value;
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct value_table *table = make(&arena, types[i], constants, 4);
		char copy[] = "cat";

		value = bytes(copy, 3); /* equal bytes, wherever they are */
		assert_true(value_table_has(table, &value));
		value = bytes("", 0);
		assert_true(value_table_has(table, &value));
		value = bytes("a\0b", 3);
		assert_true(value_table_has(table, &value));
		value = bytes("a\0c", 3);
		assert_false(value_table_has(table, &value));
		value = bytes("cat", 2);
		assert_false(value_table_has(table, &value));
		value = bytes("cats", 4);
		assert_false(value_table_has(table, &value));
	}
	arena_finish(&arena);
}

/* The table grows with them, and finds an end however full it is. */
static void test_many(void **state)
{
	enum { MOST = 3000 };
	struct filter_constant *constants = calloc(MOST, sizeof(*constants));

	for (uint32_t i = 0; i < MOST; i++)
		constants[i].value.u64 = 3ull * i;
	for (uint32_t n = 0; n < MOST; n = n < 40 ? n + 1 : 2 * n) {
		struct arena arena = {0};
		const struct value_table *table = make(&arena, PT_UINT64, constants, n);

		for (uint64_t number = 0; number < 3ull * n + 3; number++)
			assert_int_equal(
				value_table_has(table, &(struct field_value){.u64 = number}),
				number % 3 == 0 && number < 3ull * n);
		arena_finish(&arena);
	}
	free(constants);
}

/* Numbers that collide in a small table are distinguished. */
static void test_collisions(void **state)
{
	struct filter_constant constants[4];

	for (uint64_t step = 1; step < 2000; step++) {
		struct arena arena = {0};
		const struct value_table *table;

		for (uint64_t i = 0; i < 4; i++)
			constants[i].value.u64 = step * (i + 1);
		table = make(&arena, PT_UINT32, constants, 4);
		for (uint64_t i = 0; i < 7; i++)
			assert_int_equal(
				value_table_has(table, &(struct field_value){.u64 = step * i}),
				i >= 1 && i <= 4);
		arena_finish(&arena);
	}
}

/* What is not equal bit by bit is compared one by one. */
static void test_other_types(void **state)
{
	static const enum param_type types[] = {PT_DOUBLE, PT_IPADDR, PT_IPNET, PT_SOCKADDR,
						PT_CHARBUFARRAY};
	static const struct filter_constant constants[1];
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct value_table *table = (void *)1;

		assert_int_equal(value_table_create(&arena, types[i], constants, 1, &table), 0);
		assert_null(table);
	}
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),	    cmocka_unit_test(test_texts),
	cmocka_unit_test(test_many),	    cmocka_unit_test(test_collisions),
	cmocka_unit_test(test_other_types),
};

UNIT_GROUP(tests);
