/* SPDX-License-Identifier: MIT */
/* The grammar: what is accepted, how it is understood, how deep it may go, where it is wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "canonical.h"
#include "unit.h"

/* Expressions and what they are understood as. */
static const struct canonical_pair pairs[] = {
	{"a.b=c", "a.b = c"},
	{" \t\r\n\b a.b \n =\tc ", "a.b = c"},
	{"a.b==c", "a.b = c"},
	{"a.b!=c", "a.b != c"},
	{"a.b=>", "a.b = >"},
	{"a.b=1and c.d", NULL},
	{"a.b=1 and c.d exists", "(a.b = 1 and c.d exists)"},
	{"a.b='1'and c.d exists", "(a.b = 1 and c.d exists)"},
	{"a.b existsand c.d exists", "(a.b exists and c.d exists)"},
	{"a.b exists or(c.d exists)", "(a.b exists or c.d exists)"},
	{"a.b exists and(c.d exists)and(e.f exists)", "(a.b exists and c.d exists and e.f exists)"},
	{"x or y and z", "(x or (y and z))"},
	{"(x or y) and z", "((x or y) and z)"},
	{"x or(y) and z", NULL},
	{"x or (y) and z", "(x or (y and z))"},
	{"((x))", "x"},
	{"not x", "not x"},
	{"not not x", "x"},
	{"not not not x", "not x"},
	{"not(x)", "not x"},
	{"not not(x)", "x"},
	{"not (not x)", "not (not x)"},
	{"not((not not not(x)))", "not (not x)"},
	{"not\v\fx", "not x"},
	{"not (x and y)", "not (x and y)"},
	{"not x and y", "(not x and y)"},
	{"not", "not"},
	{"and", "and"},
	{"or or or", "(or or or)"},
	{"nota", "nota"},
	{"a.b<10KiB and x", "(a.b < 10KiB and x)"},
	{"a.b glob c", "a.b glob c"},
	{"a.b contains\tc", "a.b contains c"},
	{"a.b contains(c)", NULL},
	{"a.b contains\"c\"", NULL},
	{"a.b startswith c", "a.b startswith c"},
	{"a.b bstartswith c", "a.b bstartswith c"},
	{"a.b regex 'x(y)'", "a.b regex \"x(y)\""},
	{"a.b intersectsa", "a.b intersects (a)"},
	{"a.b = anyof (c, d)", "a.b = anyof (c, d)"},
	{"a.b != allof(c)", NULL},
	{"a.b contains oneof\n(c)", "a.b contains oneof (c)"},
	{"a.b = anyof c", "a.b = anyof (c)"},
	{"a.b =anyof (c)", NULL},
	{"a.b = anyof", "a.b = anyof"},
	{"a.b = anyof and x", "(a.b = anyof and x)"},
	{"a.b = oneof or not y", "(a.b = oneof or not y)"},
	{"a.b in anyof", "a.b in (anyof)"},
	{"a.b in anyof (c)", NULL},
	{"", NULL},
	{"  ", NULL},
	{"()", NULL},
	{"(x", NULL},
	{"x)", NULL},
	{"x y", NULL},
	{"x and", NULL},
	{"x andy", NULL},
	{"x or", NULL},
	{"not ", NULL},
	{"a.b", NULL},
	{"a.b ~ c", NULL},
	{"a.b =", NULL},
	{"a.b === c", NULL},
	{"a.b = c=d", NULL},
	{"\xff", NULL},
};

static void test_understood(void **state)
{
	canonical_expect(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* `open` n times, the inside, ")" n times. */
static bool nests(const char *open, int n, const char *inside)
{
	struct buf text = {0}, out = {0};
	struct filter_error err;
	bool ok;

	for (int i = 0; i < n; i++)
		buf_append_string(&text, open);
	buf_append_string(&text, inside);
	for (int i = 0; i < n; i++)
		buf_append_char(&text, ')');
	buf_append_char(&text, '\0');
	ok = canonical(text.data, &out, &err);
	if (!ok)
		assert_non_null(strstr(err.text, "too deeply"));
	buf_finish(&text);
	buf_finish(&out);
	return ok;
}

static void test_depth(void **state)
{
	static const struct {
		const char *inside;
		int parens, nots; /* the most that are accepted */
	} limits[] = {
		{"x", 19, 23},
		{"a.b = c", 18, 23},
		{"a.b in (c)", 18, 23},
		{"a.b exists", 18, 23},
		{"tolower(a.b) = c", 18, 23},
		{"a.b = val(c.d)", 18, 22},
		{"tolower(toupper(a.b)) = c", 18, 22},
		{"a.b = tolower(c.d)", 17, 22},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		assert_true(nests("(", limits[i].parens, limits[i].inside));
		assert_false(nests("(", limits[i].parens + 1, limits[i].inside));
		assert_true(nests("not(", limits[i].nots, limits[i].inside));
		assert_false(nests("not(", limits[i].nots + 1, limits[i].inside));
	}
	assert_false(nests("(", 100000, "x"));
}

/* Depth is left again: many elements side by side are not deep. */
static void test_width(void **state)
{
	struct buf text = {0}, out = {0};
	struct filter_error err;

	for (int i = 0; i < 2000; i++)
		buf_append_string(&text, "(not(a.b = tolower(c.d)) or x) and ");
	BUF_LITERAL(&text, "x\0");
	assert_true(canonical(text.data, &out, &err));
	buf_finish(&text);
	buf_finish(&out);
}

/* Longer than anything that a command line can hold. */
static void test_length(void **state)
{
	struct buf text = {0}, out = {0};
	struct filter_error err;

	BUF_LITERAL(&text, "a.b in (x");
	while (text.len < FILTER_BYTES_MAX - 2)
		BUF_LITERAL(&text, ",y");
	BUF_LITERAL(&text, ")\0");
	assert_int_equal(strlen(text.data), FILTER_BYTES_MAX);
	assert_true(canonical(text.data, &out, &err));
	text.len--;
	BUF_LITERAL(&text, " \0");
	assert_false(canonical(text.data, &out, &err));
	assert_non_null(strstr(err.text, "bytes; at most"));
	buf_finish(&text);
	buf_finish(&out);
}

static void test_errors(void **state)
{
	canonical_expect_error("", 0, 1, 1, "found the end");
	canonical_expect_error("a.b = c and", 11, 1, 12,
			       "expected a field, a transformer, 'not' or '(', found the end");
	canonical_expect_error("a.b = c and ", 12, 1, 13, "found the end");
	canonical_expect_error("a.b equals c", 4, 1, 5, "expected an operator, found 'equals'");
	canonical_expect_error("a.b contians c", 4, 1, 5, "did you mean 'contains'?");
	canonical_expect_error("a.b = c\r\nand d.e ~ 5", 17, 3, 9, "operator");
	canonical_expect_error("(a.b = c", 8, 1, 9, "')'");
	canonical_expect_error("a.b = c)", 7, 1, 8, "the end");
	canonical_expect_error("procname = c", 0, 1, 1, "expected a field, found 'procname'");
	canonical_expect_error("a.b < 5 adn c.d exists", 8, 1, 9,
			       "found 'adn'; did you mean 'and'?");
	canonical_expect_error("(a.b exists ro c.d exists)", 12, 1, 13, "did you mean 'or'?");
	canonical_expect_error("a.b exists && c.d exists", 11, 1, 12, "did you mean 'and'?");
	canonical_expect_error("a.b exists || c.d exists", 11, 1, 12, "did you mean 'or'?");
	canonical_expect_error("a.b exists AND c.d exists", 11, 1, 12, "did you mean 'and'?");
	canonical_expect_error("a.b exists something", 11, 1, 12, "found 'something'");
	canonical_expect_error("!a.b exists", 0, 1, 1, "did you mean 'not'?");
	canonical_expect_error("nto a.b exists", 0, 1, 1, "did you mean 'not'?");
	canonical_expect_error("a.b = anyoff (c)", 6, 1, 7, "did you mean 'anyof'?");
	canonical_expect_error("a.b contains alof (c)", 13, 1, 14, "did you mean 'allof'?");
	canonical_expect_error("a.b = anyof(c)", 6, 1, 7, "a blank is missing before 'anyof'");
	canonical_expect_error("a.b = x (c)", 8, 1, 9, "'and', 'or' or the end");
	canonical_expect_error("a.b >= 5 sec", 9, 1, 10, "found 'sec'");
	/* What is quoted from the expression cannot steer a terminal either. */
	canonical_expect_error("a.b \x1b[31m", 4, 1, 5, "found '.[31m'");
	canonical_expect_error("a.b \xc2\x9b", 4, 1, 5, "found '..'");
}

/* No sequence of bytes breaks the parser: pieces of filters in random order. */
static void test_random(void **state)
{
	static const char *const pieces[] = {
		"a.b", " ",	   "=",	      "(",    ")",	 "not ", "not(",   "and ",
		"or ", "in ",	   "val(",    ",",    "'",	 "\"",	 "\\",	   "\\x",
		"5",   "tolower(", "concat(", "[",    "]",	 "\n",	 "anyof ", "exists",
		"<",   "glob ",	   "x",	      "\xff", "getopt(", "..",
	};
	struct buf text = {0}, out = {0}, again = {0};
	uint32_t seed = 1;

	for (int round = 0; round < UNIT_ROUNDS(20000); round++) {
		struct filter_error err;

		buf_clear(&text);
		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525 + 1013904223;
			buf_append_string(
				&text, pieces[(seed >> 8) % (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		buf_append_char(&text, '\0');
		if (!canonical(text.data, &out, &err))
			continue;
		assert_true(canonical(out.data, &again, &err));
		assert_string_equal(again.data, out.data);
	}
	buf_finish(&text);
	buf_finish(&out);
	buf_finish(&again);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_understood), cmocka_unit_test(test_depth),
	cmocka_unit_test(test_width),	   cmocka_unit_test(test_length),
	cmocka_unit_test(test_errors),	   cmocka_unit_test(test_random),
};

UNIT_GROUP(tests);
