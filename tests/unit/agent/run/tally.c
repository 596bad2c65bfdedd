/* SPDX-License-Identifier: MIT */
/* Counts by key: exact while the table has room, and never silent about what has none. */
#include <stdio.h>
#include <string.h>

#include "agent/run/summary.h"
#include "unit.h"

static const struct summary_tally_row *find(const struct summary_tally *tally, int64_t number,
					    const char *name)
{
	for (size_t i = 0; i < tally->size; i++) {
		const struct summary_tally_row *row = &tally->rows[i];

		if (row->count.events && row->number == number && row->len == strlen(name) &&
		    memcmp(row->name, name, row->len) == 0)
			return row;
	}
	return NULL;
}

static void test_names(void **state)
{
	struct summary_tally tally;

	assert_int_equal(summary_tally_init(&tally, 64), 0);
	summary_tally_count_name(&tally, 1, "a", 1, false);
	summary_tally_count_name(&tally, 1, "a", 1, true);
	summary_tally_count_name(&tally, 2, "a", 1, false);
	summary_tally_count_name(&tally, 1, "ab", 2, false);
	summary_tally_count_name(&tally, 1, "", 0, false);
	assert_int_equal(tally.used, 4);
	assert_int_equal(find(&tally, 1, "a")->count.events, 2);
	assert_int_equal(find(&tally, 1, "a")->count.failed, 1);
	assert_int_equal(find(&tally, 2, "a")->count.events, 1);
	assert_int_equal(find(&tally, 1, "ab")->count.events, 1);
	assert_int_equal(find(&tally, 1, "")->count.events, 1);
	assert_int_equal(tally.rest.events, 0);
	summary_tally_finish(&tally);
}

/* The name of a number may change, as that of a process does. */
static void test_numbers(void **state)
{
	struct summary_tally tally;

	assert_int_equal(summary_tally_init(&tally, 64), 0);
	summary_tally_count_number(&tally, 7, "sh", 2, false);
	summary_tally_count_number(&tally, 7, "cat", 3, true);
	summary_tally_count_number(&tally, -7, "sh", 2, false);
	assert_int_equal(tally.used, 2);
	assert_null(find(&tally, 7, "sh"));
	assert_int_equal(find(&tally, 7, "cat")->count.events, 2);
	assert_int_equal(find(&tally, -7, "sh")->count.events, 1);
	summary_tally_finish(&tally);
}

/* Names longer than a row are distinguished by all of their bytes. */
static void test_long_names(void **state)
{
	char name[4 * TALLY_NAME_BYTES];
	struct summary_tally tally;

	memset(name, 'x', sizeof(name));
	assert_int_equal(summary_tally_init(&tally, 64), 0);
	summary_tally_count_name(&tally, 0, name, sizeof(name), false);
	summary_tally_count_name(&tally, 0, name, sizeof(name), false);
	name[sizeof(name) - 1] = 'y';
	summary_tally_count_name(&tally, 0, name, sizeof(name), false);
	summary_tally_count_name(&tally, 0, name, TALLY_NAME_BYTES, false);
	assert_int_equal(tally.used, 3);
	summary_tally_finish(&tally);
}

/* Every event is in a row or in the rest, and rows that are there go on counting. */
static void test_full(void **state)
{
	enum { SIZE = 64, KEYS = 1000, ROUNDS = 3 };
	struct summary_tally tally;
	uint64_t sum;
	char name[16];

	assert_int_equal(summary_tally_init(&tally, SIZE), 0);
	for (int i = 0; i < KEYS * ROUNDS; i++) {
		int len = snprintf(name, sizeof(name), "key %d", i % KEYS);

		summary_tally_count_name(&tally, 0, name, (size_t)len, i % 2);
	}
	assert_int_equal(tally.used, SIZE);
	assert_int_equal(tally.rest.events, (KEYS - SIZE) * ROUNDS);
	sum = tally.rest.failed;
	for (size_t i = 0; i < SIZE; i++) {
		assert_int_equal(tally.rows[i].count.events, ROUNDS);
		sum += tally.rows[i].count.failed;
	}
	assert_int_equal(sum, KEYS * ROUNDS / 2);
	summary_tally_count_number(&tally, 5, "", 0, true);
	assert_int_equal(tally.rest.events, (KEYS - SIZE) * ROUNDS + 1);
	summary_tally_finish(&tally);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_long_names),
	cmocka_unit_test(test_full),
};

UNIT_GROUP(tests);
