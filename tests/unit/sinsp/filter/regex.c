/* SPDX-License-Identifier: MIT */
/* Regular expressions: what they match, in time that is bounded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/regex.h"
#include "unit.h"

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
	static char value[UNIT_ROUNDS(30000) + 1];

	memset(value, 'a', sizeof(value) - 1);
	memcpy(value + sizeof(value) - 8, "bXck!!!", 7);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (matches(patterns[i], value))
			fail_msg("'%s' should not match", patterns[i]);
	/* Where trying gives up, the answer is still the right one. */
	assert_true(matches("(a+)+c|.*!", value));
	assert_true(matches("(a|aa|a?)*c|.*bXck!!!", value));
	value[sizeof(value) - 7] = '\0';
	assert_true(matches("(a+)+b", value));
	assert_true(matches("(((((((((a|b)|c)*|d)*|e)*|f)*|g)*|h)*|i)*|j)*", value));
}

/* What is too large to be decided in bounded time is rejected before any value comes. */
static void test_too_large(void **state)
{
	struct filter filter = {0};
	struct filter_error err = {0};
	struct filter_binder binder = {.filter = &filter, .text = "x", .err = &err};
	const struct filter_expr expr = {.text = {"([ab]{150}){150}", 16}};
	struct filter_regex *regex;

	assert_int_equal(filter_regex_compile(&binder, &expr, &regex), -EINVAL);
	assert_non_null(strstr(err.text, "larger than 10000 characters"));
	assert_null(filter.regexes);
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_matches),
	cmocka_unit_test(test_hard_patterns),
	cmocka_unit_test(test_too_large),
	cmocka_unit_test(test_invalid_names),
};

UNIT_GROUP(tests);
