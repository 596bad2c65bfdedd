/* SPDX-License-Identifier: MIT */
/* The help: one screen, or everything. */
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/options/row.h"
#include "printed.h"
#include "unit.h"

enum { LINES_MAX = 24, COLUMNS_MAX = 80 };

/* Returns the number of lines, none of which is too long. */
static unsigned int check_lines(const char *text)
{
	unsigned int lines = 0;

	for (const char *line = text; *line; lines++) {
		size_t len = strcspn(line, "\n");

		if (len > COLUMNS_MAX || line[len] != '\n' || (len && line[len - 1] == ' '))
			fail_msg("a line is too long, has no end or blanks there: %.*s", (int)len,
				 line);
		line += len + 1;
	}
	return lines;
}

static void test_one_screen(void **state)
{
	const struct option_row *row;
	struct printed printed;

	printed_run("--help", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.err, "");
	assert_in_range(check_lines(printed.out), 10, LINES_MAX);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (row->usual)
			assert_non_null(strstr(printed.out, row->name));
	assert_null(strstr(printed.out, "--statsd-port"));
	printed_finish(&printed);
}

static void test_everything(void **state)
{
	const struct option_row *row;
	struct printed printed;

	printed_run("--help=all", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_true(check_lines(printed.out) > LINES_MAX);
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		assert_non_null(strstr(printed.out, row->name));
		if (row->argument)
			assert_non_null(strstr(printed.out, row->argument));
	}
	for (const struct agent_subcommand *command = subcommands; command->name; command++)
		assert_non_null(strstr(printed.out, command->name));
	for (const struct option_group *group = option_groups; group->title; group++)
		assert_non_null(strstr(printed.out, group->title));
	printed_expect(printed.out,
		       (const char *[]){"  -s, --snaplen BYTES ", "  -h, --help[=all] ",
					"  -e, --events COUNT ", "  check-rules FILE... ",
					"  fields [PATTERN] ", "  version ",
					"names them: switch page_fault request tcp_connect\n",
					NULL});
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_screen),
	cmocka_unit_test(test_everything),
};

UNIT_GROUP(tests);
