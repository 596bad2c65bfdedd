/* SPDX-License-Identifier: MIT */
/* Bytes of a capture file one after the other: numbers, strings, and what is beyond the end. */
#include "scap/file/cursor.h"
#include "unit.h"

static char memory[64];

/* A cursor over bytes, whose strings go to `memory`. */
static struct cursor cursor_of(const void *bytes, size_t n, struct buf *texts)
{
	*texts = buf_fixed(memory, sizeof(memory));
	return (struct cursor){.at = bytes, .left = n, .texts = texts};
}

static void test_numbers(void **state)
{
	static const uint8_t bytes[] = {7, 1, 2, 3, 4, 9, 9};
	struct buf texts;
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), &texts);

	assert_int_equal(cursor_number(&cursor, 1), 7);
	assert_int_equal(cursor_number(&cursor, 4), 0x04030201);
	assert_int_equal(cursor.left, 2);
	assert_false(cursor.missing);
	assert_int_equal(cursor_number(&cursor, 4), 0);
	assert_true(cursor.missing);
	/* Not even what would have been there. */
	assert_int_equal(cursor_number(&cursor, 1), 0);
}

static void test_strings(void **state)
{
	static const char bytes[] = "\3\0abc\0\0\2\0x";
	struct buf texts;
	struct cursor cursor = cursor_of(bytes, sizeof(bytes) - 1, &texts);
	const char *first, *empty;
	size_t len = 99;

	first = cursor_string(&cursor, &len);
	assert_int_equal(len, 3);
	empty = cursor_string(&cursor, &len);
	assert_int_equal(len, 0);
	assert_string_equal(first, "abc");
	assert_string_equal(empty, "");
	assert_false(cursor.missing);
	/* One that says that it is longer than what is left. */
	len = 99;
	assert_string_equal(cursor_string(&cursor, &len), "");
	assert_int_equal(len, 0);
	assert_true(cursor.missing);
	assert_int_equal(texts.len, sizeof("abc") + sizeof(""));
}

static void test_text(void **state)
{
	struct buf texts;
	struct cursor cursor = cursor_of("abcdef", 6, &texts);

	assert_string_equal(cursor_text(&cursor, 4), "abcd");
	assert_string_equal(cursor_text(&cursor, 2), "ef");
	assert_int_equal(cursor.left, 0);
	assert_false(cursor.missing);
	assert_string_equal(cursor_text(&cursor, 0), "");
	assert_false(cursor.missing);
	assert_string_equal(cursor_text(&cursor, 1), "");
	assert_true(cursor.missing);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_strings),
	cmocka_unit_test(test_text),
};

UNIT_GROUP(tests);
