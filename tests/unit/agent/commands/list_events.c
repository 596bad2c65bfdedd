/* SPDX-License-Identifier: MIT */
/* The list of events and their parameters. */
#include <string.h>

#include "printed.h"
#include "unit.h"

static void test_text(void **state)
{
	struct printed printed;

	printed_run("events openat2", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_int_equal(strncmp(printed.out, "EVENT ", 6), 0);
	printed_expect(printed.out,
		       (const char *[]){"\nopenat2 ", " file ", "dirfd", "resolve", NULL});
	printed_finish(&printed);
	printed_expect_run("events openat2 -v",
			   (const char *[]){"PARAMETER", "VALUES", "RESOLVE_BENEATH", NULL});
}

static void test_json(void **state)
{
	printed_expect_run(
		"-L openat2 -j",
		(const char *[]){"{\"name\":\"openat2\",\"id\":", "\"syscall\":\"openat2\"",
				 "\"creates_fd\"", "\"parameters\":[{\"name\":\"fd\"", NULL});
}

static void test_nothing(void **state)
{
	struct printed printed;

	printed_run("events openta", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err,
		       (const char *[]){"no events match 'openta'", "did you mean", NULL});
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_nothing),
};

UNIT_GROUP(tests);
