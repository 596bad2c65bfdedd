/* SPDX-License-Identifier: MIT */
/* The grammar: what is accepted, how it is understood, how deep it may go, where it is wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinsp/expr/tree.h"

/* The canonical text of an expression in `out`; false when it is rejected. */
static bool canonical(const char *text, struct buf *out, struct filter_error *err)
{
	struct arena arena = {0};
	struct filter_node *root;
	int rc = filter_parse(text, &arena, &root, err);

	buf_clear(out);
	if (rc == 0)
		filter_print(root, out);
	buf_append_char(out, '\0');
	arena_finish(&arena);
	assert_true(rc == 0 || rc == -EINVAL);
	return rc == 0;
}

/* Texts and what they are understood as; printing that again changes nothing. */
static const char *const pairs[][2] = {
	{"a.b=c", "a.b = c"},
	{" \t\r\n\b a.b \n =\tc ", "a.b = c"},
	{"a.b==c", "a.b = c"},
	{"a.b!=c", "a.b != c"},
	{"a.b=10", "a.b = 10"},
	{"a.b=0x1f", "a.b = 0x1f"},
	{"a.b=>", "a.b = >"},
	{"a.b=*", "a.b = *"},
	{"a.b=\\n", "a.b = \"\\x5cn\""},
	{"a.b=''", "a.b = \"\""},
	{"a.b='x y'", "a.b = \"x y\""},
	{"a.b='x\ny'", "a.b = \"x\\x0ay\""},
	{"a.b='it\"s'", "a.b = \"it\\\"s\""},
	{"a.b='it\\'s'", "a.b = \"it's\""},
	{"a.b=\"\\x41\\b\\f\\n\\r\\t\\\\\\ \\/\\\"z\"",
	 "a.b = \"A\\x08\\x0c\\x0a\\x0d\\x09\\x5c\\x5c/\\\"z\""},
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
	{"a.b < 5", "a.b < 5"},
	{"a.b <=-5", "a.b <= -5"},
	{"a.b>=0X1f", "a.b >= 0X1f"},
	{"a.b > +1.5e+10", "a.b > +1.5e+10"},
	{"a.b > 1.", "a.b > 1."},
	{"a.b > 1.5ms", "a.b > 1.5ms"},
	{"a.b<10KiB and x", "(a.b < 10KiB and x)"},
	{"a.b < 5sand x", NULL},
	{"a.b < 5orx", NULL},
	{"a.b = 1.5ms", "a.b = 1.5ms"},
	{"a.b in (1s, 2s)", "a.b in (1s, 2s)"},
	{"a.b < 5and x", "(a.b < 5 and x)"},
	{"a.b < abc", NULL},
	{"a.b < 'x'", NULL},
	{"a.b < 1e5", NULL},
	{"a.b glob c", "a.b glob c"},
	{"a.b contains\tc", "a.b contains c"},
	{"a.b contains(c)", NULL},
	{"a.b contains\"c\"", NULL},
	{"a.b startswith c", "a.b startswith c"},
	{"a.b bstartswith c", "a.b bstartswith c"},
	{"a.b regex 'x(y)'", "a.b regex \"x(y)\""},
	{"a.b in(c,d)", "a.b in (c, d)"},
	{"a.b in ( c , 'd e' )", "a.b in (c, \"d e\")"},
	{"a.b in ()", "a.b in ()"},
	{"a.b in ( )", "a.b in ()"},
	{"a.b in (,)", NULL},
	{"a.b in (c,)", NULL},
	{"a.b in (c,,d)", NULL},
	{"a.b in (c d)", NULL},
	{"a.b in (c", NULL},
	{"a.b in c", "a.b in (c)"},
	{"a.b inc", "a.b in (c)"},
	{"a.b in c.d", NULL},
	{"a.b intersectsa", "a.b intersects (a)"},
	{"a.b pmatch (/etc, /usr)", "a.b pmatch (/etc, /usr)"},
	{"a.b pmatch /etc", NULL},
	{"a.b in val(c.d)", "a.b in val(c.d)"},
	{"a.b = val(c.d)", "a.b = val(c.d)"},
	{"a.b=val( c.d[1] )", "a.b = val(c.d[1])"},
	{"a.b < val(c.d)", "a.b < val(c.d)"},
	{"a.b = val(x)", NULL},
	{"a.b = val(tolower(c.d))", NULL},
	{"a.b = val (c.d)", NULL},
	{"a.b = val", "a.b = val"},
	{"val(a.b) = c", NULL},
	{"a.b = tolower(c.d)", "a.b = tolower(c.d)"},
	{"a.b = tolower", "a.b = tolower"},
	{"a.b = c.d", "a.b = c.d"},
	{"a.b[1] = c", "a.b[1] = c"},
	{"a.b['x y'] = c", "a.b['x y'] = c"},
	{"a.b[x y] = c", NULL},
	{"a.b[] = c", NULL},
	{"a.b [1] = c", NULL},
	{"a.b[1 = c", NULL},
	{"a.b[1]= c", "a.b[1] = c"},
	{"a.b. exists", NULL},
	{"a.1 exists", NULL},
	{"a.b_1.c exists", "a.b_1.c exists"},
	{".a.b exists", NULL},
	{"tolower(a.b) = c", "tolower(a.b) = c"},
	{"tolower( a.b ) exists", "tolower(a.b) exists"},
	{"tolower (a.b) = c", NULL},
	{"tolower() = c", NULL},
	{"lower(a.b) = c", NULL},
	{"len(basename(a.b)) > 3", "len(basename(a.b)) > 3"},
	{"concat(a.b, 'x', 5, 0x1F, c.d) = e", "concat(a.b,\"x\",5,0x1F,c.d) = e"},
	{"concat(a.b x) = e", NULL},
	{"concat(a.b,) = e", NULL},
	{"join(',', (a.b, 'x' ,tolower(c.d), 5)) = e",
	 "join(\",\",(a.b,\"x\",tolower(c.d),5)) = e"},
	{"join(',', ()) = e", "join(\",\",()) = e"},
	{"getopt(a.b, 'ab:')['a'] = c", "getopt(a.b,\"ab:\")[\"a\"] = c"},
	{"getopt(a.b, 'ab:')[a] = c", "getopt(a.b,\"ab:\")[\"a\"] = c"},
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
	{"a.b = ,", NULL},
	{"a.b = 'c", NULL},
	{"a.b = 'c\\'", NULL},
	{"a.b = 'c\\\\'", NULL},
	{"a.b = '\\q'", NULL},
	{"a.b = '\\x4'", NULL},
	{"a.b = '\\x4g'", NULL},
	{"a.b = '\\\"'", NULL},
	{"a.b in ('\\q')", NULL},
	{"a.b === c", NULL},
	{"a.b = c=d", NULL},
	{"\xff", NULL},
};

static void test_understood(void **state)
{
	struct buf out = {0}, again = {0};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct filter_error err;
		bool ok = canonical(pairs[i][0], &out, &err);

		if (ok != (pairs[i][1] != NULL))
			fail_msg("'%s' should be %s", pairs[i][0], ok ? "rejected" : "accepted");
		if (!ok) {
			assert_true(err.text[0] != '\0');
			assert_true(err.position <= strlen(pairs[i][0]));
			continue;
		}
		assert_string_equal(out.data, pairs[i][1]);
		assert_true(canonical(out.data, &again, &err));
		assert_string_equal(again.data, out.data);
	}
	buf_finish(&out);
	buf_finish(&again);
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

static void check_error(const char *text, size_t position, unsigned int line, unsigned int column,
			const char *says)
{
	struct buf out = {0};
	struct filter_error err;

	assert_false(canonical(text, &out, &err));
	if (err.position != position || err.line != line || err.column != column ||
	    !strstr(err.text, says))
		fail_msg("'%s': %zu, %u:%u, %s", text, err.position, err.line, err.column,
			 err.text);
	buf_finish(&out);
}

static void test_errors(void **state)
{
	check_error("", 0, 1, 1, "found the end");
	check_error("a.b = c and", 11, 1, 12, "expected a field, a transformer, 'not' or '(', found the end");
	check_error("a.b = c and ", 12, 1, 13, "found the end");
	check_error("a.b equals c", 4, 1, 5, "expected an operator, found 'equals'");
	check_error("a.b contians c", 4, 1, 5, "did you mean 'contains'?");
	check_error("a.b = c\nand d.e\n  <= 'x'", 21, 3, 6, "expected a number");
	check_error("a.b = c\r\nand d.e ~ 5", 17, 3, 9, "operator");
	check_error("a.b = 'x\\qy'", 8, 1, 9, "unsupported string escape");
	check_error("a.b = 'x\\x4'", 8, 1, 9, "truncated");
	check_error("a.b = 'x", 6, 1, 7, "a quote that has no end");
	check_error("(a.b = c", 8, 1, 9, "')'");
	check_error("a.b = c)", 7, 1, 8, "the end");
	check_error("a.b in (c,)", 10, 1, 11, "expected a value");
	check_error("procname = c", 0, 1, 1, "expected a field, found 'procname'");
	check_error("a.b[", 4, 1, 5, "argument");
	check_error("a.b = 'x\\x4g'", 8, 1, 9, "invalid string escape");
	check_error("a.b < 5 adn c.d exists", 8, 1, 9, "found 'adn'; did you mean 'and'?");
	check_error("(a.b exists ro c.d exists)", 12, 1, 13, "did you mean 'or'?");
	check_error("a.b exists && c.d exists", 11, 1, 12, "did you mean 'and'?");
	check_error("a.b exists || c.d exists", 11, 1, 12, "did you mean 'or'?");
	check_error("a.b exists AND c.d exists", 11, 1, 12, "did you mean 'and'?");
	check_error("a.b exists something", 11, 1, 12, "found 'something'");
	check_error("!a.b exists", 0, 1, 1, "did you mean 'not'?");
	check_error("nto a.b exists", 0, 1, 1, "did you mean 'not'?");
	check_error("tolwer(a.b) = c", 0, 1, 1,
		    "a transformer, found 'tolwer'; did you mean 'tolower'?");
	check_error("concat(a.b, joni('', c.d)) = c", 12, 1, 13, "did you mean 'join'?");
	check_error("a.b = anyoff (c)", 6, 1, 7, "did you mean 'anyof'?");
	check_error("a.b contains alof (c)", 13, 1, 14, "did you mean 'allof'?");
	check_error("a.b = anyof(c)", 6, 1, 7, "a blank is missing before 'anyof'");
	check_error("a.b = x (c)", 8, 1, 9, "'and', 'or' or the end");
	check_error("a.b = (c, d)", 6, 1, 7, "before a list stands 'in'");
	check_error("a.b >= 5 sec", 9, 1, 10, "found 'sec'");
	check_error("a.b >= 5secs", 8, 1, 9, "unknown unit 'secs'");
	/* What is quoted from the expression cannot steer a terminal either. */
	check_error("a.b \x1b[31m", 4, 1, 5, "found '.[31m'");
	check_error("a.b \xc2\x9b", 4, 1, 5, "found '..'");
}

static void test_render(void **state)
{
	static const char text[] = "a.b = c and\n\td\xc3\xa9 .e = 5\nor x";
	struct filter_error err;
	struct buf out = {0};

	filter_error_set(&err, text, 17, "wrong %s", "word");
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 6);
	filter_error_render(text, &err, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "line 2, column 6: wrong word\n"
				      "  \td\xc3\xa9 .e = 5\n"
				      "  \t   ^\n");
	buf_clear(&out);
	filter_error_set(&err, "a.b", 3, "expected more");
	filter_error_render("a.b", &err, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "line 1, column 4: expected more\n  a.b\n     ^\n");
	buf_finish(&out);
	assert_int_equal(filter_error_set(NULL, "x", 0, "nobody reads this"), -EINVAL);
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

	for (int round = 0; round < 20000; round++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_understood), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_width),	   cmocka_unit_test(test_length),
		cmocka_unit_test(test_errors),	   cmocka_unit_test(test_render),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
