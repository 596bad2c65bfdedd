/* SPDX-License-Identifier: MIT */
/* Ring buffers and a capture of one call, with privileges and without. cli/test_doctor has the
 * rest. */
#include <unistd.h>

#include "doctored.h"
#include "unit.h"

static void test_with_privileges(void **state)
{
	if (geteuid())
		skip();
	doctored_expect(NULL, "doctor --buffer-size 64K", doctor_rings, DOCTOR_OK,
			"of 64 KiB were opened");
	doctored_expect(NULL, "doctor --buffer-size 64K", doctor_capture, DOCTOR_OK,
			"the event of a call arrived");
}

static int as_nobody(void)
{
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534);
}

static void test_without(void **state)
{
	doctored_expect_child(as_nobody, doctor_rings, DOCTOR_MISSING, "CAP_PERFMON");
	doctored_expect_child(as_nobody, doctor_programs, DOCTOR_MISSING, "not permitted");
	doctored_expect_child(as_nobody, doctor_capture, DOCTOR_MISSING, "not permitted");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_with_privileges),
	cmocka_unit_test(test_without),
};

UNIT_GROUP(tests);
