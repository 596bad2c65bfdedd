/* SPDX-License-Identifier: MIT */
/* The smallest programs: loaded with privileges, rejected without. */
#include <unistd.h>

#include "doctored.h"
#include "unit.h"

static int as_root(void)
{
	return geteuid() != 0;
}

static int as_nobody(void)
{
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534);
}

static void test_with_privileges(void **state)
{
	doctored_expect_child(as_root, doctor_tracing, DOCTOR_OK, "a program was loaded");
	doctored_expect_child(as_root, doctor_kernel_reads, DOCTOR_OK, "a program was loaded");
	doctored_expect_child(as_root, doctor_tracepoints, DOCTOR_OK, "a program was loaded");
}

static void test_without(void **state)
{
	doctored_expect_child(as_nobody, doctor_tracing, DOCTOR_MISSING, "Operation not permitted");
	doctored_expect_child(as_nobody, doctor_kernel_reads, DOCTOR_MISSING,
			      "Operation not permitted");
	doctored_expect_child(as_nobody, doctor_tracepoints, DOCTOR_LIMITED,
			      "Operation not permitted");
	doctored_expect_child(as_nobody, doctor_tracefs, DOCTOR_LIMITED, "cannot be opened");
	doctored_expect_child(as_nobody, doctor_root_group, DOCTOR_LIMITED,
			      "Operation not permitted");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_with_privileges),
	cmocka_unit_test(test_without),
};

UNIT_GROUP(tests);
