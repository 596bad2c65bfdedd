/* SPDX-License-Identifier: MIT */
/* The table of subcommands: sorted, and every row is whole. */
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/options/row.h"
#include "unit.h"

static void test_sorted(void **state)
{
	const struct agent_subcommand *command = subcommands;

	assert_non_null(command->name);
	for (; command[1].name; command++)
		assert_true(strcmp(command[0].name, command[1].name) < 0);
}

static void test_rows_are_whole(void **state)
{
	for (const struct agent_subcommand *command = subcommands; command->name; command++) {
		assert_non_null(command->run);
		assert_true(command->help && command->help[0]);
		assert_int_equal(!command->operand, command->operands == OPERAND_NONE);
		/* Words, or an offer; where an action comes first, words for it and an offer. */
		if (command->operands == ACTION_REQUIRED)
			assert_true(command->words && command->offer != OFFER_NOTHING);
		else
			assert_false(command->words && command->offer != OFFER_NOTHING);
		if (command->operands != OPERAND_OPTIONAL)
			assert_null(command->operand_default);
	}
}

/* An option of subcommands is taken by one. */
static void test_options_are_taken(void **state)
{
	const unsigned int bits[] = {OF_LISTS, OF_CHECKS, OF_RULE_CHECKS};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		const struct agent_subcommand *command = subcommands;

		while (command->name && !(command->takes & bits[i]))
			command++;
		assert_non_null(command->name);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sorted),
	cmocka_unit_test(test_rows_are_whole),
	cmocka_unit_test(test_options_are_taken),
};

UNIT_GROUP(tests);
