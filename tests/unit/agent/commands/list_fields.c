/* SPDX-License-Identifier: MIT */
/* The list of fields: as text, as JSON, as Markdown, by patterns. */
#include <string.h>

#include "printed.h"
#include "unit.h"

static void test_text(void **state)
{
	struct printed printed;

	printed_run("fields proc.exepath", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_int_equal(strncmp(printed.out, "FIELD ", 6), 0);
	printed_expect(printed.out, (const char *[]){" TYPE ", "\nproc.exepath ", NULL});
	printed_finish(&printed);
	printed_expect_run("fields -v proc.exepath",
			   (const char *[]){" STATE\n", " threads\n", NULL});
}

static void test_json(void **state)
{
	printed_expect_run("-l -j proc.aname",
			   (const char *[]){"{\"name\":\"proc.aname\",\"class\":\"proc\",\"type\":",
					    "\"argument\":{\"form\":\"[N]\",\"required\":false}",
					    "\"flags\":[\"ancestors\"", "\"state\":[\"threads\"]",
					    "\"help\":", "\"example\":", NULL});
}

static void test_markdown(void **state)
{
	printed_expect_run(
		"fields proc.exepath -o markdown",
		(const char *[]){"| FIELD | TYPE |", "\n|---|---|", "\n| proc.exepath | ", NULL});
}

static void test_nothing(void **state)
{
	struct printed printed;

	printed_run("fields proc.exepaht", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	assert_string_equal(printed.err, "agent: no fields match 'proc.exepaht'; did you mean "
					 "'proc.exepath'? (-v searches more than their names)\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_markdown),
	cmocka_unit_test(test_nothing),
};

UNIT_GROUP(tests);
