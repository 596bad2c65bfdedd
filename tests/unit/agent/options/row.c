/* SPDX-License-Identifier: MIT */
/* The table of options: every row is whole, and no name is there twice. */
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/options/row.h"
#include "unit.h"

static void test_order(void **state)
{
	unsigned int place = 0;

	for (const struct option_group *group = option_groups; group->title; group++)
		for (const struct option_row *row = group->rows; row->name; row++)
			assert_ptr_equal(option_row(place++), row);
	assert_in_range(place, 40, OPTIONS_MAX);
	assert_null(option_row(place));
	assert_null(option_row(UINT32_MAX));
}

static void test_names(void **state)
{
	const struct option_row *row, *other;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		/* It fits into messages, and is no letter. */
		assert_in_range(strlen(row->name), 2, 28);
		for (unsigned int j = 0; (other = option_row(j)) != row; j++) {
			assert_true(!row->letter || row->letter != other->letter);
			assert_true(strcmp(row->name, other->name));
			assert_true(strcmp(option_key(row), option_key(other)));
		}
	}
}

static void test_find(void **state)
{
	const struct option_row *row;
	unsigned int place = UINT32_MAX;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		assert_ptr_equal(option_find(row->name, &place), row);
		assert_int_equal(place, i);
	}
	assert_null(option_find("nosuch", &place));
}

static void test_rows_are_whole(void **state)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		assert_true(row->set || row->subcommand);
		assert_true(row->help && row->help[0] && !strpbrk(row->help, "\n\t"));
		assert_null(strstr(row->help, "  "));
		assert_false(row->words && row->accepts);
		if (!row->argument)
			assert_false(row->words || row->accepts || row->offer || row->optional);
		if (row->subcommand)
			assert_non_null(agent_subcommand_find(subcommands, row->subcommand));
		for (unsigned int word = 0; row->words && row->words(word); word++)
			assert_int_equal(strcspn(row->words(word), " '\"\\$"),
					 strlen(row->words(word)));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_rows_are_whole),
};

UNIT_GROUP(tests);
