/* SPDX-License-Identifier: MIT */
/* Slices of a batch; results of records of which a stream took a part. */
#include "output/record.h"
#include "unit.h"

#include <string.h>

static void check(size_t bytes, const uint8_t expected[3])
{
	const struct output_record records[] = {{.len = 10}, {.len = 5}, {.len = 1}};
	uint8_t results[3] = {9, 9, 9};
	struct output_batch batch = {.records = records, .count = 3, .results = results};

	output_batch_set_bytes(&batch, bytes);
	assert_memory_equal(results, expected, 3);
}

static void test_bytes(void **state)
{
	check(0, (const uint8_t[]){OUTPUT_RETRY, OUTPUT_RETRY, OUTPUT_RETRY});
	check(9, (const uint8_t[]){OUTPUT_RETRY, OUTPUT_RETRY, OUTPUT_RETRY});
	check(10, (const uint8_t[]){OUTPUT_DELIVERED, OUTPUT_RETRY, OUTPUT_RETRY});
	/* The third record would fit into what was taken of the second. */
	check(14, (const uint8_t[]){OUTPUT_DELIVERED, OUTPUT_RETRY, OUTPUT_RETRY});
	check(16, (const uint8_t[]){OUTPUT_DELIVERED, OUTPUT_DELIVERED, OUTPUT_DELIVERED});
}

static void test_all(void **state)
{
	uint8_t results[3] = {0};
	struct output_batch batch = {.count = 2, .results = results};

	output_batch_set(&batch, OUTPUT_REJECTED);
	assert_int_equal(results[0], OUTPUT_REJECTED);
	assert_int_equal(results[1], OUTPUT_REJECTED);
	assert_int_equal(results[2], OUTPUT_RETRY);
}

static void check_slice(size_t from, size_t to, size_t max, const char *expected)
{
	const struct iovec parts[] = {{"abc", 3}, {"", 0}, {"de", 2}, {"f", 1}};
	const struct output_batch batch = {.parts = parts, .parts_count = 4, .bytes = 6};
	struct iovec pieces[4];
	size_t count = output_batch_slice(&batch, from, to, pieces, max), len = 0;
	char text[8];

	for (size_t i = 0; i < count; i++) {
		assert_true(pieces[i].iov_len > 0);
		memcpy(text + len, pieces[i].iov_base, pieces[i].iov_len);
		len += pieces[i].iov_len;
	}
	text[len] = '\0';
	assert_string_equal(text, expected);
}

static void test_slice(void **state)
{
	check_slice(0, 6, 4, "abcdef");
	check_slice(0, 6, 2, "abcde");
	check_slice(1, 2, 4, "b");
	check_slice(2, 4, 4, "cd");
	check_slice(3, 6, 4, "def");
	check_slice(5, 6, 1, "f");
	check_slice(6, 6, 4, "");
	check_slice(0, 0, 4, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_slice),
};

UNIT_GROUP(tests);
