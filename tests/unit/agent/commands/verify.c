/* SPDX-License-Identifier: MIT */
/* agent verify, with files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "unit.h"

static char path[] = "/tmp/lanner-verify-XXXXXX";

static void run(const char *content, int exit_code, const char *out, const char *err)
{
	struct printed printed;
	char command[64];
	FILE *file;

	strcpy(strrchr(path, '-'), "-XXXXXX");
	file = fdopen(mkstemp(path), "w");
	fputs(content, file);
	fclose(file);
	snprintf(command, sizeof(command), "verify %s", path);
	printed_run(command, &printed);
	assert_string_equal(printed.out, out);
	assert_non_null(strstr(printed.err, err));
	assert_int_equal(printed.exit_code, exit_code);
	printed_finish(&printed);
	unlink(path);
}

static void test_right(void **state)
{
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n\n{\"evt.id\":\"a-2\",\"evt.num\":2}", 0,
	    "a: records 2, numbers 1 to 2, missing 0, sent again 0\nOK: what is missing is said\n",
	    "");
}

static void test_wrong(void **state)
{
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n{\"evt.id\":\"a-3\",\"evt.num\":3}\n", 1,
	    "a: records 2, numbers 1 to 3, missing 1, sent again 0\n"
	    "  missing, and not said: 2 to 2\n",
	    "");
	run("", 0, "no records\n", "");
}

/* What comes before a line that its writer did not end is still looked at. */
static void test_torn(void **state)
{
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n{\"evt.id\":\"a-", 1,
	    "a: records 1, numbers 1 to 1, missing 0, sent again 0\n",
	    ": line 2 is incomplete: not counted\n");
}

static void test_errors(void **state)
{
	struct printed printed;

	run("{\"evt.num\":1}\n1 x\n", 1, "", ": line 2: no object of JSON: ");
	run("\x1f\x8b", 1, "", " is compressed: zcat ");
	run("\x28\xb5\x2f\xfd", 1, "", " is compressed: zstdcat ");
	printed_run("verify /none/x", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: cannot open /none/x: No such file or directory\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_right),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_torn),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
