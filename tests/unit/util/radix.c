/* SPDX-License-Identifier: MIT */
/* Records in any order, with large and equal keys, compared with a stable sort. */
#include "util/radix.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { RECORDS = 5000 };

struct record {
	uint32_t number; /* where it was */
	uint64_t key;
	uint32_t copy;
};

static int compare_records(const void *a, const void *b)
{
	const struct record *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->number < other->number ? -1 : 1;
}

static void expect_sorted(const struct record *records, size_t count)
{
	struct record *sorted = malloc((count + 1) * sizeof(*sorted));
	struct record *expected = malloc((count + 1) * sizeof(*expected));

	assert_true(sorted && expected);
	memcpy(sorted, records, count * sizeof(*records));
	memcpy(expected, records, count * sizeof(*records));
	qsort(expected, count, sizeof(*expected), compare_records);
	assert_true(radix_sort(sorted, count, sizeof(*sorted), offsetof(struct record, key)));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(sorted[i].key, expected[i].key);
		assert_int_equal(sorted[i].number, expected[i].number);
		assert_int_equal(sorted[i].copy, expected[i].number);
	}
	free(sorted);
	free(expected);
}

static void sorts_by_keys_of_any_size(void **state)
{
	/* Digits that all have, few keys, all bits, one that is different in the highest one. */
	static const uint64_t masks[] = {0xff,	     0x7,	 0xffffff,
					 UINT64_MAX, 1ULL << 63, 0xfff000000000};
	static struct record records[RECORDS];
	uint64_t random = 88172645463325252;

	for (size_t k = 0; k < sizeof(masks) / sizeof(*masks); k++) {
		for (uint32_t i = 0; i < RECORDS; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			records[i] = (struct record){i, (random & masks[k]) + 0x400000, i};
		}
		expect_sorted(records, RECORDS);
		expect_sorted(records, 2);
	}
}

static void leaves_what_is_in_order(void **state)
{
	static struct record records[RECORDS];

	for (uint32_t i = 0; i < RECORDS; i++)
		records[i] = (struct record){i, i / 3 * 1000, i};
	expect_sorted(records, RECORDS);
	expect_sorted(records, 1);
	expect_sorted(records, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sorts_by_keys_of_any_size),
	cmocka_unit_test(leaves_what_is_in_order),
};

UNIT_GROUP(tests);
