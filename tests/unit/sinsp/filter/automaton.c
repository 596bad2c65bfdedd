/* SPDX-License-Identifier: MIT */
/* Expressions without backtracking: they match what PCRE2's matcher does, and in bounded time. */
#include "sinsp/filter/regex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit.h"

enum { NS_PER_MS = 1000000 };

static int create(const char *pattern, struct automaton **automaton)
{
	const struct filter_text text = {pattern, strlen(pattern)};
	struct buf translated = {0};
	int rc;

	assert_null(filter_regex_translate(&text, &translated));
	rc = automaton_create(&translated, automaton);
	buf_finish(&translated);
	return rc;
}

static bool matches_bytes(const char *pattern, const char *text, size_t len)
{
	struct automaton *automaton;
	bool result;

	assert_int_equal(create(pattern, &automaton), 0);
	result = automaton_match(automaton, text, len);
	automaton_destroy(automaton);
	return result;
}

static bool matches(const char *pattern, const char *text)
{
	return matches_bytes(pattern, text, strlen(text));
}

static void test_forms(void **state)
{
	assert_true(matches("", ""));
	assert_false(matches("", "a"));
	assert_true(matches("a|ab|", "ab"));
	assert_true(matches("a|ab|", ""));
	assert_false(matches("a|ab", "abb"));
	assert_true(matches("x(a|(b|c)d|e)y", "xcdy"));
	assert_false(matches("x(a|(b|c)d|e)y", "xcy"));
	assert_true(matches("(a*)*", "aaa"));
	assert_true(matches("(a|b*)+c", "abbac"));
	assert_false(matches("a+", ""));
	assert_true(matches("a{2}", "aa"));
	assert_false(matches("a{2}", "aaa"));
	assert_true(matches("a{2,}b{0}", "aaaa"));
	assert_false(matches("a{2,}", "a"));
	assert_true(matches("(ab){1,3}", "ababab"));
	assert_false(matches("(ab){1,3}", "abababab"));
	assert_true(matches("(a|b){0,2}c", "c"));
	assert_true(matches("[a-c]x[^a-c]", "bxd"));
	assert_false(matches("[^a-c]", "b"));
	assert_true(matches("[]x-]+", "]-x"));
	assert_true(matches(".", "\xe6\x97\xa5"));
	assert_false(matches(".", "\n"));
	assert_true(matches("^a$\n^$", "a\n"));
	assert_false(matches("a^", "a"));
	assert_true(matches("\\x41\\.[\\x{1f600}-\\x{1f64f}]", "A.\xf0\x9f\x99\x82"));
}

static void test_named_classes(void **state)
{
	static const struct {
		const char *name, *in, *out;
	} rows[] = {
		{"alnum", "aZ5", "_ "},	 {"alpha", "aZ", "5_"},	    {"ascii", "a\x7f", NULL},
		{"blank", " \t", "\na"}, {"cntrl", "\n\x7f", "a "}, {"digit", "059", "a"},
		{"graph", "a!", " \n"},	 {"lower", "az", "A5"},	    {"print", "a !", "\n"},
		{"punct", "!_", "a "},	 {"space", " \n\v", "a"},   {"upper", "AZ", "a5"},
		{"word", "a_5", " -"},	 {"xdigit", "aF9", "g"},
	};
	char pattern[32], text[2] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(pattern, sizeof(pattern), "[[:%s:]]", rows[i].name);
		assert_false(matches(pattern, "\xc3\xa9"));
		for (const char *c = rows[i].in; (text[0] = *c); c++)
			assert_true(matches(pattern, text));
		for (const char *c = rows[i].out; c && (text[0] = *c); c++)
			assert_false(matches(pattern, text));
		snprintf(pattern, sizeof(pattern), "[[:^%s:]]", rows[i].name);
		assert_true(matches(pattern, "\xc3\xa9"));
		text[0] = rows[i].in[0];
		assert_false(matches(pattern, text));
	}
}

static void test_bytes(void **state)
{
	assert_true(matches("a.b", "a\xff"
				   "b"));
	assert_true(matches("a..b", "a\xe2\x82"
				    "b"));
	assert_true(matches("\\x{fffd}", "\x80"));
	assert_true(matches_bytes("a\\x00b", "a\0b", 3));
}

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Some expression, without an atom in front of which a repetition could not stand. */
static void append_random(struct buf *out, unsigned int depth)
{
	static const char *const atoms[] = {"a",   "b", "\xc3\xa9", ".",	   "[ab]", "[^a]",
					    "\\n", "^", "$",	    "[[:alpha:]]", "()"};
	static const char *const repetitions[] = {"",	 "",	  "",	  "*",	 "+", "?",
						  "{2}", "{0,2}", "{1,}", "{0}", "+?"};

	for (uint32_t parts = random_below(4); parts > 0; parts--) {
		if (depth > 0 && random_below(3) == 0) {
			buf_append_char(out, '(');
			append_random(out, depth - 1);
			if (random_below(2)) {
				buf_append_char(out, '|');
				append_random(out, depth - 1);
			}
			buf_append_char(out, ')');
		} else {
			buf_append_string(out,
					  atoms[random_below(sizeof(atoms) / sizeof(atoms[0]))]);
		}
		buf_append_string(
			out,
			repetitions[random_below(sizeof(repetitions) / sizeof(repetitions[0]))]);
	}
}

static void compare_random(struct filter *filter, const char *pattern, struct automaton *automaton)
{
	static const char *const letters[] = {"a", "b", "\xc3\xa9", "\n", "\xff"};
	struct filter_error err;
	struct filter_binder binder = {.filter = filter, .text = pattern, .err = &err};
	const struct filter_expr expr = {.text = {pattern, strlen(pattern)}};
	struct filter_regex *regex;

	assert_int_equal(filter_regex_compile(&binder, &expr, &regex), 0);
	for (int i = 0; i < 20; i++) {
		char text[64] = "";

		for (uint32_t n = random_below(8); n > 0; n--)
			strcat(text, letters[random_below(4 + (i % 4 == 0))]);
		if (filter_regex_match(regex, text, strlen(text)) !=
		    automaton_match(automaton, text, strlen(text)))
			fail_msg("'%s' and '%s'", pattern, text);
	}
	filter_regex_free(filter->regexes);
	filter->regexes = NULL;
}

/* PCRE2 has the answer for each of these. */
static void test_same_as_pcre2(void **state)
{
	struct filter *filter = calloc(1, sizeof(*filter));
	struct buf pattern = {0};

	for (int i = 0; i < UNIT_ROUNDS(3000); i++) {
		struct automaton *automaton;

		buf_clear(&pattern);
		append_random(&pattern, 3);
		buf_append_char(&pattern, '\0');
		assert_int_equal(create(pattern.data, &automaton), 0);
		compare_random(filter, pattern.data, automaton);
		automaton_destroy(automaton);
	}
	buf_finish(&pattern);
	free(filter);
}

static void test_too_large(void **state)
{
	struct automaton *automaton = NULL;

	assert_int_equal(create("(a{100}){100}", &automaton), 0);
	automaton_destroy(automaton);
	automaton = NULL;
	assert_int_equal(create("(a{101}){100}", &automaton), -E2BIG);
	assert_int_equal(create("((((a{1000}){1000}){1000}){1000}){1000}|b", &automaton), -E2BIG);
	assert_int_equal(create("(a{0,1000}){0,1000}", &automaton), -E2BIG);
	assert_null(automaton);
	automaton_destroy(NULL);
}

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / NS_PER_MS;
}

/* As many states as there may be, all of them at each character. */
static void test_time(void **state)
{
	static char text[512];
	struct automaton *automaton;
	uint64_t begin;

	memset(text, 'a', sizeof(text));
	assert_int_equal(create("((a?){30}){150}", &automaton), 0);
	begin = cpu_ms();
	assert_true(automaton_match(automaton, text, sizeof(text)));
	printf("%d states, %zu characters: %u ms\n", AUTOMATON_STATES_MAX, sizeof(text),
	       (unsigned int)(cpu_ms() - begin));
	/* Whatever the machine and the sanitizers: what doubles with each character takes years. */
	assert_true(cpu_ms() - begin < 60000);
	text[sizeof(text) - 1] = 'b';
	assert_false(automaton_match(automaton, text, sizeof(text)));
	automaton_destroy(automaton);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms),	  cmocka_unit_test(test_named_classes),
	cmocka_unit_test(test_bytes),	  cmocka_unit_test(test_same_as_pcre2),
	cmocka_unit_test(test_too_large), cmocka_unit_test(test_time),
};

UNIT_GROUP(tests);
