/* SPDX-License-Identifier: MIT */
/* The table of checks: every row is whole. */
#include <string.h>

#include "agent/commands/doctor.h"
#include "unit.h"

static void test_rows_are_whole(void **state)
{
	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		assert_true(check->name[0] && check->what[0]);
		assert_int_equal(strspn(check->name, "abcdefghijklmnopqrstuvwxyz_"),
				 strlen(check->name));
		assert_non_null(check->run);
		assert_int_equal(!check->cost, !check->advice);
		for (const struct doctor_check *other = doctor_checks; other < check; other++)
			assert_string_not_equal(check->name, other->name);
	}
}

static void test_status_names(void **state)
{
	assert_string_equal(doctor_status_name(DOCTOR_OK), "ok");
	assert_string_equal(doctor_status_name(DOCTOR_LIMITED), "limited");
	assert_string_equal(doctor_status_name(DOCTOR_MISSING), "missing");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows_are_whole),
	cmocka_unit_test(test_status_names),
};

UNIT_GROUP(tests);
