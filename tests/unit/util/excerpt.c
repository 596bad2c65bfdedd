/* SPDX-License-Identifier: MIT */
/* Lines of a user's text in messages: where they are cut, where the caret is, what is not shown. */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/error.h"

static void check(const char *text, size_t position, const char *expected)
{
	struct buf out = {0};

	error_append_excerpt(text, strlen(text), position, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void test_lines(void **state)
{
	check("", 0, "  \n  ^\n");
	check("abc", 0, "  abc\n  ^\n");
	check("abc", 3, "  abc\n     ^\n");
	check("one\ntwo\nthree", 5, "  two\n   ^\n");
	check("one\r\ntwo", 6, "  two\n   ^\n");
	check("one\ntwo", 3, "  one\n     ^\n");
	check("\t\xc3\xa9x", 3, "  \t\xc3\xa9x\n  \t ^\n");
}

/* Terminals act upon none of these; where the caret stands does not change by them. */
static void test_dots(void **state)
{
	check("a\x1b[2Jb", 5, "  a.[2Jb\n       ^\n");
	check("a\x7f\b\x01z", 4, "  a...z\n      ^\n");
	check("\xc2\x9bq", 2, "  ..q\n    ^\n");
	check("\xff\xe2\x82", 1, "  ...\n   ^\n");
	check("\xe2\x80\xaex", 3, "  ...x\n     ^\n");
	check("\xc3\xa9\xe2\x82\xacx", 5, "  \xc3\xa9\xe2\x82\xacx\n    ^\n");
}

static void test_long_lines(void **state)
{
	char text[1000], expected[500];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	snprintf(expected, sizeof(expected), "  ...%.160s...\n%85s^\n", text, "");
	check(text, 500, expected);
	snprintf(expected, sizeof(expected), "  %.80s...\n  ^\n", text);
	check(text, 0, expected);
	snprintf(expected, sizeof(expected), "  ...%.80s\n%85s^\n", text, "");
	check(text, 999, expected);
}

/* Below its character, however many columns those before it take: the text is UTF-8. */
static void test_columns(void **state)
{
	static const struct {
		const char *before;
		size_t columns;
	} cases[] = {
		{"", 0},
		{"abc", 3},
		{"日本", 4},
		{"한글a", 5},
		{"Ｆｕｌｌ", 8},
		{"e\xcc\x81t\xc3\xa9", 3}, /* é in two characters, and in one */
		{"a\xcc\x80\xcc\x81\xcc\x82" "b", 2},
		{"😀😀", 4},
		{"👩\xe2\x80\x8d🚀", 4}, /* joined: as terminals that do not join them */
		{"日\x01本", 5}, /* a dot */
		{"\xff\xff", 2},
		{"ｱｲｳ", 3}, /* half-width */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = {0}, out = {0};
		const char *caret_line;

		buf_append_string(&text, cases[i].before);
		buf_append_string(&text, "!日");
		error_append_excerpt(text.data, text.len, strlen(cases[i].before), &out);
		buf_append_char(&out, '\0');
		caret_line = strchr(out.data, '\n') + 1;
		assert_int_equal(strspn(caret_line, " "), 2 + cases[i].columns);
		assert_string_equal(caret_line + 2 + cases[i].columns, "^\n");
		buf_finish(&text);
		buf_finish(&out);
	}
	/* Tabs stay, so that they reach to the same column in both lines. */
	check("日\t本\tx", 8, "  日\t本\tx\n    \t  \t^\n");
	check("\tab", 2, "  \tab\n  \t ^\n");
	check("日本", 4, "  日本\n    ^\n"); /* inside a character: below it */
}

/* A character is cut nowhere: 80 bytes on either side end within one of three bytes. */
static void test_cut_between_characters(void **state)
{
	struct buf text = {0}, out = {0};

	for (int i = 0; i < 200; i++)
		BUF_LITERAL(&text, "\xe2\x82\xac");
	error_append_excerpt(text.data, text.len, 300, &out);
	for (size_t i = 0; i < out.len; i++)
		assert_true(out.data[i] != '.' || i < 5 || i > 5 + 52 * 3 - 1);
	assert_memory_equal(out.data, "  ...\xe2\x82\xac", 8);
	assert_int_equal(out.data[out.len - 2], '^');
	buf_finish(&text);
	buf_finish(&out);
}

/* Any bytes, any position: nothing is read outside and nothing but plain text comes out. */
static void test_random(void **state)
{
	uint32_t seed = 7;

	for (int round = 0; round < 2000; round++) {
		char text[300];
		size_t len = (size_t)round % sizeof(text);
		struct buf out = {0};

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = (char)(seed >> 13);
		}
		error_append_excerpt(text, len, len ? seed % len : 0, &out);
		for (size_t i = 0; i < out.len; i++)
			assert_true((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n' ||
				    out.data[i] == '\t');
		buf_finish(&out);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),	   cmocka_unit_test(test_dots),
	cmocka_unit_test(test_long_lines), cmocka_unit_test(test_cut_between_characters),
	cmocka_unit_test(test_random),	   cmocka_unit_test(test_columns),
};

UNIT_GROUP(tests);
