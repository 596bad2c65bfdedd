/* SPDX-License-Identifier: MIT */
/* RE2's POSIX syntax in PCRE2's words, and what is rejected. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinsp/filter/regex.h"

static const char *translate(const char *pattern, struct buf *out)
{
	const struct filter_text text = {pattern, strlen(pattern)};
	const char *wrong;

	buf_clear(out);
	wrong = filter_regex_translate(&text, out);
	buf_append_char(out, '\0');
	return wrong;
}

static void test_translated(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"abc", "abc"},
		{"a.b*c+d?", "a.b*c+d?"},
		{"a|b|", "a|b|"},
		{"(a(b))*", "(?:a(?:b))*"},
		{"()", "(?:)"},
		{"a**", "(?:a*)*"},
		{"a+?", "(?:a+)?"},
		{"xa++*", "x(?:(?:a+)+)*"},
		{"(ab)+?", "(?:(?:ab)+)?"},
		{"\xc3\xa4+?", "(?:\\x{e4}+)?"},
		{"^a$", "(?:^)a(?:$)"},
		{"^*", "(?:^)*"},
		{"a{2}b{2,}c{2,3}", "a{2}b{2,}c{2,3}"},
		{"a{2}{3}", "(?:a{2}){3}"},
		{"a{,3}", "a\\x{7b}\\x{2c}3\\x{7d}"},
		{"{", "\\x{7b}"},
		{"a{b}", "a\\x{7b}b\\x{7d}"},
		{"]}", "\\x{5d}\\x{7d}"},
		{"\\.\\*\\(", "\\x{2e}\\x{2a}\\x{28}"},
		{"\\n\\t\\x41\\x{1F600}\\0\\12", "\\x{a}\\x{9}A\\x{1f600}\\x{0}\\x{a}"},
		{"[abc]", "[abc]"},
		{"[^a-z]", "[^a-z]"},
		{"[]a]", "[\\x{5d}a]"},
		{"[^]a]", "[^\\x{5d}a]"},
		{"[a-]", "[a\\x{2d}]"},
		{"[-a]", "[\\x{2d}a]"},
		{"[[:alpha:]_]+?", "(?:[[:alpha:]\\x{5f}]+)?"},
		{"[[a]", "[\\x{5b}a]"},
		{"[\\]\\-]", "[\\x{5d}\\x{2d}]"},
		{"a b#c", "a\\x{20}b\\x{23}c"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_null(translate(pairs[i][0], &out));
		assert_string_equal(out.data, pairs[i][1]);
	}
	buf_finish(&out);
}

static void test_rejected(void **state)
{
	static const char *const patterns[] = {
		"*",	 "+a",		"a|*",	   "(*a)",  "(?:a)",  "(?i)a",	 "(*UTF)",
		"(",	 ")",		"(a",	   "a)",    "[",      "[a",	 "[]",
		"[^]",	 "[z-a]",	"[a-c-e]", "\\",    "\\d",    "\\w",	 "\\b",
		"\\1",	 "\\A",		"\\Q",	   "\\pL",  "\\x",    "\\x4",	 "\\xg1",
		"\\x{}", "\\x{110000}", "\\x{41",  "[\\d]", "a{3,2}", "a{1001}", "a{99999999999}",
		"\xff",	 "a\xc3",	"{2}",
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!translate(patterns[i], &out))
			fail_msg("'%s' should be rejected", patterns[i]);
	buf_finish(&out);
}

/* As in a filter: the whole value must match, in UTF-8. */
static bool matches(const char *pattern, const char *text)
{
	struct filter *filter = calloc(1, sizeof(*filter));
	struct filter_error err;
	struct filter_binder binder = {.filter = filter, .text = pattern, .err = &err};
	const struct filter_expr expr = {.text = {pattern, strlen(pattern)}};
	struct filter_regex *regex;
	bool result;

	if (filter_regex_compile(&binder, &expr, &regex))
		fail_msg("'%s': %s", pattern, err.text);
	result = filter_regex_match(regex, text, strlen(text));
	filter_regex_free(filter->regexes);
	free(filter);
	return result;
}

static void test_matches(void **state)
{
	assert_true(matches("", ""));
	assert_false(matches("", "a"));
	assert_true(matches("a|ab", "ab"));
	assert_false(matches("b", "ab"));
	assert_false(matches("a", "ab"));
	assert_true(matches("a+?b", "b"));
	assert_true(matches("a++a", "aa"));
	assert_true(matches(".", "\xc3\xa4"));
	assert_true(matches("[\xc3\xa4-\xc3\xbc]", "\xc3\xb6"));
	assert_false(matches(".", "\n"));
	assert_true(matches("[^a]", "\n"));
	assert_true(matches("a$\n^b", "a\nb"));
	assert_true(matches("a\n^", "a\n"));
	assert_true(matches("a.b", "a\xff"
				   "b"));
	assert_true(matches("[[:digit:]]+[[:^digit:]]", "42x"));
	assert_false(matches("[[:digit:]]", "\xd9\xa1"));
	assert_true(matches("\\x41\\.", "A."));
	assert_true(matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}", "192.168.0.1"));
}

/* Tried one by one, the ways to match these would take longer than anybody waits. */
static void test_hard_patterns(void **state)
{
	static const char *const patterns[] = {
		"(a+)+b",
		"(a*)*(a*)*b",
		"(a|aa|a?)*b",
		"([a-z]+)*X",
		"(.*)(.*)(.*)(.*)(.*)(.*)X",
		"((((((a|b)*)*)*)*)*)*c",
		"(((((((((a|b)|c)*|d)*|e)*|f)*|g)*|h)*|i)*|j)*k",
		"(a?){500}a{500}",
		"(^*a)*$*b",
	};
	static char value[30001];

	memset(value, 'a', sizeof(value) - 1);
	memcpy(value + sizeof(value) - 8, "bXck!!!", 7);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (matches(patterns[i], value))
			fail_msg("'%s' should not match", patterns[i]);
	/* Where trying gives up, the answer is still the right one. */
	value[sizeof(value) - 7] = '\0';
	assert_true(matches("(a+)+b", value));
	assert_true(matches("(((((((((a|b)|c)*|d)*|e)*|f)*|g)*|h)*|i)*|j)*", value));
}

static void test_invalid_names(void **state)
{
	struct filter filter = {0};
	struct filter_error err = {0};
	struct filter_binder binder = {.filter = &filter, .text = "x", .err = &err};
	const struct filter_expr expr = {.text = {"[[:nosuch:]]", 12}};
	struct filter_regex *regex;

	assert_int_equal(filter_regex_compile(&binder, &expr, &regex), -EINVAL);
	assert_non_null(strstr(err.text, "invalid regular expression"));
	assert_null(filter.regexes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_translated),    cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_matches),	      cmocka_unit_test(test_hard_patterns),
		cmocka_unit_test(test_invalid_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
