/* SPDX-License-Identifier: MIT */
/* Words fill lines, and none is longer than a terminal. */
#include <string.h>

#include "agent/commands/commands.h"
#include "printed.h"
#include "unit.h"

enum { WORDS = 30, LINE = 78 };

static void print(void *context)
{
	int *column = context;

	for (int i = 0; i < WORDS; i++)
		help_print_word("word", column);
}

static void test_lines(void **state)
{
	struct printed printed;
	int column = 0;

	printed_call(print, &column, &printed);
	assert_int_equal(strcspn(printed.out, "\n"), LINE / 5 * 5);
	assert_int_equal(strlen(printed.out), WORDS * 5 + 1);
	assert_int_equal(column, WORDS * 5 - LINE / 5 * 5);
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
};

UNIT_GROUP(tests);
