/* SPDX-License-Identifier: MIT */
/* Which script is printed. */
#include <string.h>

#include "agent/commands/commands.h"
#include "parsed.h"
#include "printed.h"
#include "unit.h"

static void test_shells(void **state)
{
	static const char *const first_words[] = {"# bash", "# fish", "#compdef"};
	unsigned int i;

	for (i = 0; completion_shell(i); i++) {
		char line[32] = "completion ";
		struct printed printed;

		printed_run(strcat(line, completion_shell(i)), &printed);
		assert_int_equal(printed.exit_code, 0);
		assert_int_equal(strncmp(printed.out, first_words[i], strlen(first_words[i])), 0);
		printed_finish(&printed);
	}
	assert_int_equal(i, 3);
}

static void test_rejected(void **state)
{
	expect_rejected("completion", "completion needs a SHELL");
	expect_rejected("completion zhs",
			"completion: expected bash, fish or zsh, not 'zhs' (did you "
			"mean 'zsh'?)");
	expect_rejected("completion bash -v", "completion does not take -v");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_shells),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
