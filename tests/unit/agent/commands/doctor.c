/* SPDX-License-Identifier: MIT */
/* The checks as text and as JSON, some of them by a pattern, and the exit code. */
#include <string.h>

#include "printed.h"
#include "privileges/capabilities.h"
#include "unit.h"

static void test_text(void **state)
{
	struct printed printed;

	printed_run("doctor kptr", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_int_equal(strncmp(printed.out, "CHECK ", 6), 0);
	printed_expect(printed.out,
		       (const char *[]){" STATUS ", " FOUND", "\nkptr_restrict  ok ", NULL});
	printed_finish(&printed);
}

static void test_json(void **state)
{
	struct printed printed;

	printed_run("doctor -o json kernel", &printed);
	printed_expect(printed.out,
		       (const char *[]){"{\"name\":\"kernel\",\"status\":\"",
					"\"checks\":\"version and architecture\"",
					"\"found\":\"Linux ", "\"affected\":\"older kernels",
					"\"advice\":\"use Linux", NULL});
	printed_finish(&printed);
}

/* A capability that is there is no advice. */
static void test_advice(void **state)
{
	uint64_t uses = capabilities_for(USED_TO_READ | USED_FOR_PROCESSES);
	struct capability_sets sets;
	struct printed printed;
	bool has_all;

	assert_int_equal(capability_sets_read(&sets), 0);
	has_all = (sets.effective & uses) == uses;
	printed_run("doctor -o json processes", &printed);
	assert_int_equal(strstr(printed.out, "CAP_SYS_PTRACE") == NULL, has_all);
	printed_expect(printed.out, (const char *[]){"no AppArmor profile", NULL});
	printed_finish(&printed);
}

/* The exit code is that of the checks that were run. */
static void test_missing(void **state)
{
	struct printed printed;

	printed_run("doctor --host-root /nonexistent --buffer-size 64K proc", &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out,
		       (const char *[]){"\nproc ", " limited ", "ADVICE", "(--host-root)", NULL});
	printed_finish(&printed);
}

static void test_nothing(void **state)
{
	struct printed printed;

	printed_run("doctor kernal", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	assert_string_equal(printed.err,
			    "agent: no checks match 'kernal'; did you mean 'kernel'? (-v searches "
			    "more than their names)\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),	cmocka_unit_test(test_json),
	cmocka_unit_test(test_advice),	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_nothing),
};

UNIT_GROUP(tests);
