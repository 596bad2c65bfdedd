/* SPDX-License-Identifier: MIT */
/* The script for bash: options with what completes their values, and subcommands. */
#include "printed.h"
#include "unit.h"

static void test_script(void **state)
{
	static const char *const words[] = {"complete -F _agent agent\n",
					    "-s | --snaplen",
					    "-o | --format) _agent_reply -W 'json text none",
					    "--rules) _agent_files;",
					    "completion) _agent_reply -W 'bash fish zsh'",
					    NULL};

	printed_expect_run("completion bash", words);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_script),
};

UNIT_GROUP(tests);
