/* SPDX-License-Identifier: MIT */
/* What the scripts have in common: words, and a clause between single quotes. */
#include <stdio.h>

#include "agent/commands/commands.h"
#include "printed.h"
#include "unit.h"

static const char *word(unsigned int i)
{
	static const char *const words[] = {"a", "bc", "d"};

	return i < 3 ? words[i] : NULL;
}

static void print_words(void *context)
{
	completion_print_words(word);
}

static void print_help(void *context)
{
	completion_print_help("it's 3.5 [a:b]. More; of it", "[]:");
}

static void print_all_of_it(void *context)
{
	completion_print_help("a \\ and a dot.", "\\");
}

static void expect(void (*print)(void *context), const char *expected)
{
	struct printed printed;

	printed_call(print, NULL, &printed);
	assert_string_equal(printed.out, expected);
	printed_finish(&printed);
}

static void test_texts(void **state)
{
	expect(print_words, "a bc d");
	expect(print_help, "it'\\''s 3.5 \\[a\\:b\\]");
	expect(print_all_of_it, "a \\\\ and a dot.");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
};

UNIT_GROUP(tests);
