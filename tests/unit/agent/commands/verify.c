/* SPDX-License-Identifier: MIT */
/* agent verify, with files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n\n{\"evt.id\":\"a-2\",\"evt.num\":2}\n"
	    "{\"evt.id\":\"a-e9\",\"end.reason\":\"it ended\",\"end.last\":2}",
	    0,
	    "a: records 2, numbers 1 to 2, missing 0, sent again 0\n  ended: it ended\n"
	    "OK: what is missing is said\n",
	    "");
}

static void test_wrong(void **state)
{
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n{\"evt.id\":\"a-3\",\"evt.num\":3}\n", 1,
	    "a: records 2, numbers 1 to 3, missing 1, sent again 0\n"
	    "  missing, and not said: 2 to 2\n"
	    "  the end is missing: nothing says that 3 is the last number\n",
	    "");
	run("", 1, "no records, and no end\n", "");
}

/* What comes before a line that its writer did not end is still looked at. */
static void test_torn(void **state)
{
	run("{\"evt.id\":\"a-1\",\"evt.num\":1}\n{\"evt.id\":\"a-", 1,
	    "a: records 1, numbers 1 to 1, missing 0, sent again 0\n"
	    "  the end is missing: nothing says that 1 is the last number\n",
	    ": line 2 is incomplete: not counted\n");
}

/* An agent has a lock on a file that it goes on with. */
static void test_live(void **state)
{
	struct printed printed;
	char command[64];
	int fd;

	strcpy(strrchr(path, '-'), "-XXXXXX");
	fd = mkstemp(path);
	dprintf(fd, "{\"evt.id\":\"a-1\",\"evt.num\":1}\n{\"evt");
	assert_int_equal(flock(fd, LOCK_SH), 0);
	snprintf(command, sizeof(command), "verify %s", path);
	printed_run(command, &printed);
	assert_string_equal(printed.out, "a: records 1, numbers 1 to 1, missing 0, sent again 0\n"
					 "  live: an agent has the file open, and goes on\n"
					 "OK so far: what is missing is said\n");
	assert_int_equal(printed.exit_code, 0);
	printed_finish(&printed);
	close(fd);
	unlink(path);
}

static void test_errors(void **state)
{
	struct printed printed;

	run("{\"evt.num\":1}\n1 x\n", 1, "", ": line 2: no object of JSON: ");
	run("\xd5\x03\x0a\x12", 1, "",
	    ": not lines of JSON, but binary, as format=protobuf has it");
	run("U\x0a\x12", 1, "", ": not lines of JSON, but binary");
	run("\x1f\x8b", 1, "", " is compressed: zcat ");
	run("\x28\xb5\x2f\xfd", 1, "", " is compressed: zstdcat ");
	printed_run("verify /none/x", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: cannot open /none/x: No such file or directory\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),  cmocka_unit_test(test_torn),
	cmocka_unit_test(test_live),  cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
