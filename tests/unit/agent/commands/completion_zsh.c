/* SPDX-License-Identifier: MIT */
/* The script for zsh: options with what completes their values, and subcommands. */
#include "printed.h"
#include "unit.h"

static void test_script(void **state)
{
	static const char *const words[] = {"#compdef agent\n",
					    "'*-s+[",
					    "'*--snaplen=[",
					    ":KIND:(json text none",
					    ":FILE: _files",
					    "agent'\\''s",
					    "'check-filter:check filters",
					    "'*--help=-[",
					    NULL};

	printed_expect_run("completion zsh", words);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_script),
};

UNIT_GROUP(tests);
