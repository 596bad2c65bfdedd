/* SPDX-License-Identifier: MIT */
/* The script for fish: options with what completes their values, and subcommands. */
#include "printed.h"
#include "unit.h"

static void test_script(void **state)
{
	static const char *const words[] = {
		" -s s -l snaplen -x",	" -s o -l format -x -a 'json text none",
		" -l rules -r -F",	"agent'\\''s",
		"-a check-filter -d '", NULL};

	printed_expect_run("completion fish", words);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_script),
};

UNIT_GROUP(tests);
