/* SPDX-License-Identifier: MIT */
/* The script for fish: options with what completes their values, and subcommands. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "printed.h"

static void test_script(void **state)
{
	static const char *const words[] = {
		" -s s -l snaplen -x",	" -s o -l format -x -a 'json text none",
		" -l rules -r -F",	"agent'\\''s",
		"-a check-filter -d '", NULL};

	printed_expect_run("completion fish", words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
