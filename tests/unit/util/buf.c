/* SPDX-License-Identifier: MIT */
/* Buffers: growing, fixed ones, numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/buf.h"

static void expect(struct buf *buf, const char *text)
{
	assert_int_equal(buf->len, strlen(text));
	assert_memory_equal(buf->data, text, buf->len);
	buf_clear(buf);
}

static void test_growing(void **state)
{
	struct buf buf = {0};
	size_t capacity;

	for (int i = 0; i < 10000; i++)
		buf_append(&buf, "abc", 3);
	assert_int_equal(buf.len, 30000);
	assert_memory_equal(buf.data + 29997, "abc", 3);
	capacity = buf.capacity;
	buf_clear(&buf);
	assert_int_equal(buf.capacity, capacity);
	buf_append_string(&buf, "x");
	BUF_LITERAL(&buf, "yz");
	buf_append(&buf, NULL, 0);
	expect(&buf, "xyz");
	buf_finish(&buf);
	assert_null(buf.data);
}

static void test_too_much(void **state)
{
	struct buf buf = {0};

	buf_append_char(&buf, 'a');
	assert_false(buf_reserve(&buf, SIZE_MAX));
	assert_true(buf.failed);
	buf_append_char(&buf, 'b');
	assert_int_equal(buf.len, 1);
	buf_clear(&buf);
	buf_append_string(&buf, "fine again");
	assert_false(buf.failed);
	expect(&buf, "fine again");
	buf_finish(&buf);
}

/* Around each power of ten, where the number of digits changes. */
static void test_digits(void **state)
{
	struct buf buf = {0};
	char text[32];

	for (uint64_t power = 1;; power *= 10) {
		for (uint64_t value = power - 1; value <= power + 1; value++) {
			snprintf(text, sizeof(text), "%" PRIu64, value);
			buf_append_u64(&buf, value);
			expect(&buf, text);
			snprintf(text, sizeof(text), "%012" PRIu64, value);
			buf_append_padded(&buf, value, 12);
			expect(&buf, text);
		}
		if (power > UINT64_MAX / 10)
			break;
	}
	buf_append_u64(&buf, UINT64_MAX);
	expect(&buf, "18446744073709551615");
	buf_finish(&buf);
}

/* Numbers of all lengths, with zeros and nines in them; the first ones have each pair of digits. */
static void test_many_numbers(void **state)
{
	struct buf buf = {0};
	uint64_t value = 1;
	char text[32];

	for (unsigned int i = 0; i < 200000; i++) {
		uint64_t number;

		value = value * 6364136223846793005 + 1442695040888963407;
		number = i < 30000 ? i : value >> i % 64;
		snprintf(text, sizeof(text), "%" PRIu64, number);
		buf_append_u64(&buf, number);
		expect(&buf, text);
		snprintf(text, sizeof(text), "%09" PRIu64, number % 1000000000);
		assert_true(buf_reserve(&buf, 9));
		buf_write_decimal(buf.data, 9, number);
		buf.len = 9;
		expect(&buf, text);
	}
	buf_finish(&buf);
}

/* A number is appended as a whole, and nothing is written behind the memory. */
static void test_numbers_that_just_fit(void **state)
{
	for (size_t room = 0; room <= 9; room++) {
		char memory[] = "................";
		struct buf buf = buf_fixed(memory, room);

		buf_append_u64(&buf, 12345);
		assert_int_equal(buf.failed, room < 5);
		assert_int_equal(buf.len, room < 5 ? 0 : 5);
		assert_memory_equal(memory, room < 5 ? "....." : "12345", 5);
		assert_string_equal(memory + (room < 5 ? 5 : room),
				    &"................"[room < 5 ? 5 : room]);
	}
}

/* What does not fit is dropped, and also the smaller pieces after it. */
static void test_fixed(void **state)
{
	char memory[4] = "....";
	struct buf buf = buf_fixed(memory, 3);

	buf_append(&buf, "ab", 2);
	assert_false(buf.failed);
	buf_append(&buf, "cd", 2);
	assert_true(buf.failed);
	buf_append_char(&buf, 'e');
	assert_int_equal(buf.len, 2);
	assert_memory_equal(memory, "ab..", 4);
	buf_finish(&buf);
}

/* Cleared, it has all of its room again, however often it was too small. */
static void test_fixed_again(void **state)
{
	char memory[16];
	struct buf buf = buf_fixed(memory, sizeof(memory));

	for (int i = 0; i < 3; i++) {
		buf_append_string(&buf, "12345");
		buf_append_string(&buf, "does not fit in");
		buf_append_string(&buf, "nor does this");
		assert_true(buf.failed);
		expect(&buf, "12345");
		buf_append_string(&buf, "0123456789abcdef");
		assert_false(buf.failed);
		expect(&buf, "0123456789abcdef");
	}
}

static void test_numbers(void **state)
{
	struct buf buf = {0};

	buf_append_u64(&buf, 0);
	expect(&buf, "0");
	buf_append_u64(&buf, UINT64_MAX);
	expect(&buf, "18446744073709551615");
	buf_append_i64(&buf, INT64_MIN);
	expect(&buf, "-9223372036854775808");
	buf_append_hex(&buf, 0xab, 1);
	expect(&buf, "AB");
	buf_append_hex(&buf, 0xab, 4);
	expect(&buf, "00AB");
	buf_append_hex_lower(&buf, UINT64_MAX);
	expect(&buf, "ffffffffffffffff");
	buf_append_octal(&buf, UINT64_MAX);
	expect(&buf, "1777777777777777777777");
	buf_append_padded(&buf, 7, 9);
	expect(&buf, "000000007");
	buf_append_padded(&buf, 1234567890123, 9);
	expect(&buf, "1234567890123");
	buf_printf(&buf, "%d %s", 5, "x");
	expect(&buf, "5 x");
	buf_finish(&buf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_growing),	     cmocka_unit_test(test_too_much),
	cmocka_unit_test(test_fixed),	     cmocka_unit_test(test_digits),
	cmocka_unit_test(test_many_numbers), cmocka_unit_test(test_numbers_that_just_fit),
	cmocka_unit_test(test_fixed_again),  cmocka_unit_test(test_numbers),
};

UNIT_GROUP(tests);
