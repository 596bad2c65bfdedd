/* SPDX-License-Identifier: MIT */
/* Sets of numbers, compared with an array that is right by construction. */
#include "agent/commands/verify.h"
#include "unit.h"

#include <stdlib.h>

enum { NUMBERS = 200, ROUNDS = 300 };

static void check(const struct verify_ranges *ranges, const bool in[NUMBERS])
{
	uint64_t total = 0;

	for (uint64_t i = 1; i < NUMBERS; i++) {
		total += in[i];
		assert_int_equal(verify_ranges_have(ranges, i), in[i]);
	}
	assert_int_equal(verify_ranges_total(ranges), total);
	for (size_t i = 1; i < ranges->count; i++)
		assert_true(ranges->list[i].from > ranges->list[i - 1].to + 1);
}

static void test_random_ranges(void **state)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct verify_ranges ranges = {0};
		bool in[NUMBERS] = {false};

		srandom(round);
		for (int i = 0; i < 20; i++) {
			uint64_t from = 1 + (uint64_t)random() % (NUMBERS - 20);
			uint64_t to = from + (uint64_t)random() % 19;

			assert_int_equal(verify_ranges_add(&ranges, from, to), 0);
			for (uint64_t n = from; n <= to; n++)
				in[n] = true;
			check(&ranges, in);
		}
		verify_ranges_finish(&ranges);
	}
}

static void test_in_order(void **state)
{
	struct verify_ranges ranges = {0};

	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(verify_ranges_add(&ranges, i, i), 0);
	assert_int_equal(ranges.count, 1);
	assert_int_equal(verify_ranges_add(&ranges, UINT64_MAX, UINT64_MAX), 0);
	assert_int_equal(ranges.count, 2);
	assert_true(verify_ranges_have(&ranges, UINT64_MAX));
	verify_ranges_finish(&ranges);
}

static void test_holes(void **state)
{
	struct verify_ranges a = {0}, b = {0};
	struct verify_range hole;

	assert_true(verify_ranges_find_hole(&a, &b, 1, 9, &hole));
	assert_true(hole.from == 1 && hole.to == 9);
	verify_ranges_add(&a, 1, 3);
	verify_ranges_add(&a, 10, 12);
	verify_ranges_add(&b, 4, 5);
	assert_true(verify_ranges_find_hole(&a, &b, 1, 12, &hole));
	assert_true(hole.from == 6 && hole.to == 9);
	assert_false(verify_ranges_find_hole(&a, &b, 10, 12, &hole));
	assert_true(verify_ranges_find_hole(&a, &b, 10, 13, &hole));
	assert_true(hole.from == 13 && hole.to == 13);
	verify_ranges_add(&b, 8, 20);
	assert_true(verify_ranges_find_hole(&a, &b, 1, 12, &hole));
	assert_true(hole.from == 6 && hole.to == 7);
	verify_ranges_finish(&a);
	verify_ranges_finish(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random_ranges),
	cmocka_unit_test(test_in_order),
	cmocka_unit_test(test_holes),
};

UNIT_GROUP(tests);
