/* SPDX-License-Identifier: MIT */
/* The script for zsh: options with what completes their values, and subcommands. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "printed.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
