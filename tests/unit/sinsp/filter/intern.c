/* SPDX-License-Identifier: MIT */
/* Numbers of distinct keys: new keys, bytes of any value, growth. */
#include <string.h>

#include "sinsp/filter/intern.h"
#include "unit.h"
#include "util/hash.h"

struct fixture {
	struct arena arena;
	struct intern table;
};

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){.table.arena = &fixture->arena};
}

static void end(struct fixture *fixture)
{
	intern_finish(&fixture->table);
	arena_finish(&fixture->arena);
}

/* Keys that only their lengths or a byte behind a NUL keep apart. */
static void test_distinct_keys(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} keys[] = {{"", 0},	 {"\0", 1},   {"\0\0", 2}, {"a", 1},	{"aa", 2},
		    {"a\0b", 3}, {"a\0c", 3}, {"ab", 2},   {"\xff", 1}, {"\xff\xff", 2}};
	const size_t count = sizeof(keys) / sizeof(keys[0]);
	struct fixture fixture;

	begin(&fixture);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *number = intern(&fixture.table, keys[i].bytes, keys[i].len);

		assert_non_null(number);
		assert_int_equal(*number, 0);
		*number = i + 1;
	}
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(*intern(&fixture.table, keys[i].bytes, keys[i].len), i + 1);
	assert_int_equal(fixture.table.count, count);
	end(&fixture);
}

/* Different words of one hash. */
static void test_collisions(void **state)
{
	static const char *const pairs[][2] = {{"declinate", "macallums"},
					       {"costarring", "liquid"}};
	struct fixture fixture;

	begin(&fixture);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *first = pairs[i][0], *second = pairs[i][1];

		assert_int_equal(hash_bytes(first, strlen(first)),
				 hash_bytes(second, strlen(second)));
		*intern(&fixture.table, first, strlen(first)) = 1;
		assert_int_equal(*intern(&fixture.table, second, strlen(second)), 0);
		*intern(&fixture.table, second, strlen(second)) = 2;
		assert_int_equal(*intern(&fixture.table, first, strlen(first)), 1);
		assert_int_equal(*intern(&fixture.table, second, strlen(second)), 2);
	}
	end(&fixture);
}

/* The table keeps its own copy. */
static void test_key_is_copied(void **state)
{
	struct fixture fixture;
	char key[] = "key";

	begin(&fixture);
	*intern(&fixture.table, key, 3) = 7;
	memset(key, 'x', 3);
	assert_int_equal(*intern(&fixture.table, "key", 3), 7);
	assert_int_equal(*intern(&fixture.table, key, 3), 0);
	assert_int_equal(fixture.table.count, 2);
	end(&fixture);
}

static void test_grows(void **state)
{
	enum { KEYS = 10000 };
	struct fixture fixture;

	begin(&fixture);
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t *number = intern(&fixture.table, &i, sizeof(i));

		assert_non_null(number);
		assert_int_equal(*number, 0);
		*number = i + 1;
		/* Never more than half full, and the size a power of two. */
		assert_true(2 * fixture.table.count <= fixture.table.size);
		assert_int_equal(fixture.table.size & (fixture.table.size - 1), 0);
	}
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(*intern(&fixture.table, &i, sizeof(i)), i + 1);
	assert_int_equal(fixture.table.count, KEYS);
	end(&fixture);
}

static void test_finish_of_nothing(void **state)
{
	struct fixture fixture;

	begin(&fixture);
	assert_int_equal(fixture.table.size, 0);
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_distinct_keys),	  cmocka_unit_test(test_collisions),
	cmocka_unit_test(test_key_is_copied),	  cmocka_unit_test(test_grows),
	cmocka_unit_test(test_finish_of_nothing),
};

UNIT_GROUP(tests);
