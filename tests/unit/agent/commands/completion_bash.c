/* SPDX-License-Identifier: MIT */
/* The script for bash: options with what completes their values, and subcommands. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "printed.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
