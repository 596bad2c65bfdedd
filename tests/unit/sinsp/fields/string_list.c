/* SPDX-License-Identifier: MIT */
/* Lists of strings: as one text, by number, by key; whole ones and ones that break off. */
#include <string.h>

#include "sinsp/fields/thread_text.h"
#include "unit.h"

static void expect_joined(const char *strings, size_t len, const char *wanted)
{
	struct buf text = {0};

	BUF_LITERAL(&text, "x\xff");
	thread_strings_append(&text, strings, len);
	buf_append_char(&text, '\0');
	assert_memory_equal(text.data, "x\xff", 2);
	assert_string_equal(text.data + 2, wanted);
	buf_finish(&text);
}

#define EXPECT_JOINED(strings, wanted) expect_joined(strings, sizeof(strings) - 1, wanted)

static void test_append(void **state)
{
	EXPECT_JOINED("", "");
	EXPECT_JOINED("a\0", "a");
	EXPECT_JOINED("-l\0/tmp\0", "-l /tmp");
	EXPECT_JOINED("a\0\0b\0", "a  b");
	EXPECT_JOINED("\0", "");
	EXPECT_JOINED("a\0b", "a b"); /* cut off */
}

/* What does not fit is left out, and nothing is written after the memory. */
static void test_append_to_full(void **state)
{
	char memory[8] = "#######";
	struct buf text = buf_fixed(memory, 4);

	thread_strings_append(&text, "a\0b\0cdef\0", 9);
	assert_true(text.len <= 4);
	assert_string_equal(memory + 4, "###");
}

static void expect_at(int32_t index, const char *wanted)
{
	static const char strings[] = "-l\0\0/tmp\0end";
	struct field_value value = thread_strings_at(strings, sizeof(strings) - 1, index);

	assert_int_equal(value.bytes.len, strlen(wanted));
	assert_memory_equal(value.bytes.data, wanted, value.bytes.len);
}

static void test_at(void **state)
{
	expect_at(0, "-l");
	expect_at(1, "");
	expect_at(2, "/tmp");
	expect_at(3, "end"); /* without its NUL */
	expect_at(4, "");
	expect_at(INT32_MAX, "");
	expect_at(-1, "");
	assert_int_equal(thread_strings_at(NULL, 0, 0).bytes.len, 0);
}

static void expect_found(const char *name, const char *wanted)
{
	static const char strings[] = "PATH=/bin\0EMPTY=\0PATHS=no\0noequals\0LAST=a=b";
	struct field_value value = {0};
	bool found = thread_strings_find(strings, sizeof(strings) - 1, name, &value);

	assert_int_equal(found, wanted != NULL);
	if (!wanted)
		return;
	assert_int_equal(value.bytes.len, strlen(wanted));
	assert_memory_equal(value.bytes.data, wanted, value.bytes.len);
}

static void test_find(void **state)
{
	struct field_value value;

	expect_found("PATH", "/bin");
	expect_found("PATHS", "no");
	expect_found("EMPTY", "");
	expect_found("LAST", "a=b");
	expect_found("PAT", NULL);
	expect_found("path", NULL);
	expect_found("noequals", NULL);
	expect_found("b", NULL);
	assert_false(thread_strings_find(NULL, 0, "PATH", &value));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_append),
	cmocka_unit_test(test_append_to_full),
	cmocka_unit_test(test_at),
	cmocka_unit_test(test_find),
};

UNIT_GROUP(tests);
