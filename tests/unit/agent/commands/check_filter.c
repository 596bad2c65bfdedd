/* SPDX-License-Identifier: MIT */
/* Verdicts on filters, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "unit.h"

static char name[] = "/tmp/check_filter_XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(name);

	return fd < 0 || close(fd) ? -1 : 0;
}

static int remove_file(void **state)
{
	return unlink(name);
}

static void expect(const char *text, size_t len, const char *options, int exit_code,
		   const char *out)
{
	struct printed printed;
	char line[128];
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
	snprintf(line, sizeof(line), "check-filter %s %s", name, options);
	printed_run(line, &printed);
	assert_string_equal(printed.out, out);
	assert_string_equal(printed.err, "");
	assert_int_equal(printed.exit_code, exit_code);
	printed_finish(&printed);
}

#define EXPECT(text, options, exit_code, out)                                                      \
	expect(text, sizeof(text) - 1, options, exit_code, out)

static void test_verdicts(void **state)
{
	EXPECT("", "", 0, "");
	EXPECT("evt.num=1\nproc.name=cat", "", 0, "OK\t\nOK\t\n");
	EXPECT("evt.num=1\nevt.num\n", "", 1,
	       "OK\t\nERR\t8\texpected an operator, found the end\n");
	EXPECT("a\0b\nevt.num=1\n", "", 1, "ERR\t2\ta NUL byte cannot stand in a filter\nOK\t\n");
	EXPECT("evt.type=open\n", "--exact-types", 0, "OK\t\n");
	/* As a capture says. */
	EXPECT("evt.type=open and evt.type=close\nevt.type=open and evt.dir=>\nevt.dir=>", "", 1,
	       "OK\tno event can match this filter\n"
	       "OK\tno event can match this filter: there are only exit events (evt.dir=<)\n"
	       "OK\t\n");
}

static void test_no_file(void **state)
{
	struct printed printed;

	printed_run("check-filter /nonexistent/filters", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	assert_string_equal(printed.err,
			    "agent: check-filter /nonexistent/filters: No such file or "
			    "directory (filters are read from a file; - is standard "
			    "input)\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_verdicts),
	cmocka_unit_test(test_no_file),
};

UNIT_GROUP(tests, .setup = make_file, .teardown = remove_file);
