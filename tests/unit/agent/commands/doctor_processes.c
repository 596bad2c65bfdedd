/* SPDX-License-Identifier: MIT */
/* /proc as root sees it, and as a user does. */
#include <unistd.h>

#include "doctored.h"
#include "unit.h"

static int as_nobody(void)
{
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534);
}

static void test_as_nobody(void **state)
{
	doctored_expect_child(as_nobody, doctor_processes, DOCTOR_LIMITED, "; refused: 1/exe (");
}

static void test_host(void **state)
{
	doctored_expect(NULL, "doctor", doctor_host, DOCTOR_OK,
			"ids of processes are those of events");
	doctored_expect(NULL, "doctor --host-root /nonexistent", doctor_host, DOCTOR_LIMITED,
			"/nonexistent/etc/passwd cannot be read");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_as_nobody),
	cmocka_unit_test(test_host),
};

UNIT_GROUP(tests);
