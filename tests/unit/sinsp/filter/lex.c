/* SPDX-License-Identifier: MIT */
/* Tokens: where each ends, and what begins none. */
#include <string.h>

#include "sinsp/filter/lex.h"
#include "unit.h"

struct row {
	const char *text;
	size_t len;
};

static void expect(size_t (*lex)(const char *text), const struct row *rows)
{
	for (; rows->text; rows++)
		if (lex(rows->text) != rows->len)
			fail_msg("'%s': %zu bytes, not %zu", rows->text, lex(rows->text),
				 rows->len);
}

#define EXPECT(lex, ...) expect(lex, (const struct row[]){__VA_ARGS__, {NULL}})

static void test_blanks(void **state)
{
	EXPECT(filter_lex_blank, {"", 0}, {" \t\b\r\nx", 5}, {"x ", 0}, {" \v", 1}, {" \f", 1},
	       {"\xc2\xa0", 0});
	EXPECT(filter_lex_space, {"", 0}, {" \t\b\r\n\v\fx", 7}, {"x ", 0});
}

static void test_identifiers(void **state)
{
	EXPECT(filter_lex_identifier, {"", 0}, {"a", 1}, {"Az_09.b", 5}, {"_a", 0}, {"9a", 0},
	       {"a-b", 1}, {"\xc3\xa9", 0}, {"a\xc3\xa9", 1}, {"zZ[", 2}, {"@", 0}, {"`", 0},
	       {"{", 0});
}

static void test_fields(void **state)
{
	EXPECT(filter_lex_field, {"", 0}, {"evt", 0}, {"evt.num", 7}, {"evt.num.x1=", 10},
	       {"evt.", 0}, {"evt.num.", 7}, {"evt.1", 0}, {"evt.num.1", 7}, {".evt.num", 0},
	       {"evt..num", 0}, {"evt.num[1]", 7}, {"e1_.n_2 x", 7});
}

static void test_numbers(void **state)
{
	EXPECT(filter_lex_number, {"", 0}, {"0", 1}, {"12x", 2}, {"+1", 2}, {"-1", 2}, {"+-1", 0},
	       {"-", 0}, {"1.5", 3}, {"1.", 2}, {".5", 0}, {"1.5.5", 3}, {"x1", 0});
	/* An exponent has a sign. */
	EXPECT(filter_lex_number, {"1e+5", 4}, {"1E-05x", 5}, {"1.5e+10", 7}, {"1e5", 1},
	       {"1e+", 1}, {"1e", 1});
	EXPECT(filter_lex_number, {"0x1f", 4}, {"0XaF9g", 5}, {"0x", 1}, {"0xg", 1}, {"-0x1", 2},
	       {"0x@", 1});
}

static void test_bare_words(void **state)
{
	EXPECT(filter_lex_bare, {"", 0}, {"/usr/bin", 8}, {"a=b", 1}, {"=", 0}, {"a,b", 1},
	       {"a(", 1}, {"a)", 1}, {"a\"b", 1}, {"a'b", 1}, {"a b", 1}, {"a\tb", 1}, {"a\rb", 1},
	       {"a\nb", 1}, {"a\vb", 1}, {"a\fb", 1}, {"a\bb[]<>\\\xff", 9});
	EXPECT(filter_lex_bare_arg, {"", 0}, {"1]", 1}, {"a[", 1}, {"a=b,(c)", 7}, {"a b", 1},
	       {"a'", 1}, {"a\"", 1}, {"]", 0});
}

static void test_quoted(void **state)
{
	EXPECT(filter_lex_quoted, {"", 0}, {"x", 0}, {"''", 2}, {"'a' b", 3}, {"\"a'b\"c", 5},
	       {"'a\"b'", 5}, {"'a", 0}, {"'", 0}, {"\"a'", 0});
	/* A backslash before the quote escapes it, whatever is before the backslash. */
	EXPECT(filter_lex_quoted, {"'a\\'b'", 6}, {"'a\\'", 0}, {"'a\\\\'", 0}, {"'a\\\\'b'", 7},
	       {"'\\x'", 4});
}

static void expect_unquoted(const char *quoted, const char *value, size_t value_len)
{
	char out[64];
	size_t len = 0, at = 0;

	memset(out, '#', sizeof(out));
	assert_null(filter_lex_unquote(quoted, strlen(quoted), out, &len, &at));
	assert_int_equal(len, value_len);
	assert_memory_equal(out, value, len);
	/* No more than there is room for. */
	assert_true(len <= strlen(quoted));
	assert_int_equal(out[strlen(quoted)], '#');
}

#define EXPECT_VALUE(quoted, value) expect_unquoted(quoted, value, sizeof(value) - 1)

static void test_unquote(void **state)
{
	EXPECT_VALUE("''", "");
	EXPECT_VALUE("'x y'", "x y");
	EXPECT_VALUE("'\\b\\f\\n\\r\\t\\\\\\ \\/z'", "\b\f\n\r\t\\\\/z");
	EXPECT_VALUE("'it\\'s \"'", "it's \"");
	EXPECT_VALUE("\"it's \\\"\"", "it's \"");
	EXPECT_VALUE("'\\x41\\x00\\xfF'", "A\0\xff");
	EXPECT_VALUE("'\xff\xc3'", "\xff\xc3");
}

static void expect_wrong(const char *quoted, const char *says, size_t position)
{
	char out[64];
	size_t len = 77, at = 77;
	const char *wrong = filter_lex_unquote(quoted, strlen(quoted), out, &len, &at);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, says));
	assert_int_equal(at, position);
	assert_int_equal(len, 77);
}

static void test_wrong_escapes(void **state)
{
	expect_wrong("'\\q'", "unsupported", 0);
	expect_wrong("'ab\\q'", "unsupported", 2);
	expect_wrong("'a\\\"'", "unsupported", 1);
	expect_wrong("\"a\\'\"", "unsupported", 1);
	expect_wrong("'\\x'", "truncated", 0);
	expect_wrong("'a\\x4'", "truncated", 1);
	expect_wrong("'\\x4g'", "two hexadecimal digits", 0);
	expect_wrong("'\\xg4'", "two hexadecimal digits", 0);
	expect_wrong("'\\x41\\q'", "unsupported", 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_blanks),	   cmocka_unit_test(test_identifiers),
	cmocka_unit_test(test_fields),	   cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_bare_words), cmocka_unit_test(test_quoted),
	cmocka_unit_test(test_unquote),	   cmocka_unit_test(test_wrong_escapes),
};

UNIT_GROUP(tests);
