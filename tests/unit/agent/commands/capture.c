/* SPDX-License-Identifier: MIT */
/* A run from its command line to its exit code, of capture files: live ones are for tests/e2e. */
#include <string.h>
#include <unistd.h>

#include "agent/commands/commands.h"
#include "parsed.h"
#include "printed.h"
#include "unit.h"

#define FILE_OPTION "-r current.scap"

struct captured {
	struct options options;
	int exit_code;
};

static int enter_captures(void **state)
{
	return chdir(CAPTURES);
}

static void run(void *context)
{
	struct captured *this = context;

	this->exit_code = capture_run(&this->options);
}

static int capture(const char *line, struct printed *printed)
{
	struct captured this;

	parse_right(line, &this.options);
	printed_call(run, &this, printed);
	options_finish(&this.options);
	return this.exit_code;
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void test_file(void **state)
{
	struct printed printed;

	assert_int_equal(capture(FILE_OPTION " -o json -n 3", &printed), 0);
	assert_int_equal(count_lines(printed.out), 3);
	assert_int_equal(strncmp(printed.out, "{\"evt.num\":", 11), 0);
	printed_expect(printed.err, (const char *[]){"matched 3, printed 3\n", NULL});
	printed_finish(&printed);
	assert_int_equal(capture(FILE_OPTION " -o none", &printed), 0);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err, (const char *[]){"agent: read ", "printed 0\n", NULL});
	printed_finish(&printed);
}

static void test_failures(void **state)
{
	struct printed printed;

	assert_int_equal(capture(FILE_OPTION " proc.nam=cat", &printed), EXIT_USAGE);
	printed_expect(printed.err, (const char *[]){"agent: ", "proc.name", NULL});
	printed_finish(&printed);
	assert_int_equal(capture("-r /nonexistent/a.scap", &printed), 1);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err, (const char *[]){"agent: ", "/nonexistent/a.scap", NULL});
	printed_finish(&printed);
	assert_int_equal(capture("-r /dev/null -o none", &printed), 1);
	printed_expect(printed.err, (const char *[]){"agent: ", "/dev/null", NULL});
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_file),
	cmocka_unit_test(test_failures),
};

UNIT_GROUP(tests, .setup = enter_captures);
