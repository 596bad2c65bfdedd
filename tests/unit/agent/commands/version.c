/* SPDX-License-Identifier: MIT */
/* The version: one line. */
#include <string.h>

#include "printed.h"
#include "unit.h"

static void test_line(void **state)
{
	struct printed printed;

	printed_run("-V", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.err, "");
	assert_int_equal(strncmp(printed.out, "agent (Lanner) ", 15), 0);
	assert_in_range(printed.out[15], '0', '9');
	assert_int_equal(strcspn(printed.out, "\n"), strlen(printed.out) - 1);
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_line),
};

UNIT_GROUP(tests);
