/* SPDX-License-Identifier: MIT */
/* The verdict on files of rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "unit.h"

static char name[] = "/tmp/check_rules_XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(name);

	return fd < 0 || close(fd) ? -1 : 0;
}

static int remove_file(void **state)
{
	return unlink(name);
}

static void check(const char *text, const char *options, struct printed *printed)
{
	FILE *file = fopen(name, "w");
	char line[128];

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	snprintf(line, sizeof(line), "check-rules %s %s", name, options);
	printed_run(line, printed);
	assert_string_equal(printed->err, "");
}

static const char rule[] = "- rule: cat\n"
			   "  desc: somebody runs cat\n"
			   "  condition: evt.type=execve and proc.name=cat\n"
			   "  output: cat by %user.name\n"
			   "  priority: INFO\n";

static void test_right(void **state)
{
	struct printed printed;

	check(rule, "", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_int_equal(strncmp(printed.out, "OK: ", 4), 0);
	printed_expect(printed.out, (const char *[]){"1 rule", NULL});
	printed_finish(&printed);
}

static void test_wrong(void **state)
{
	struct printed printed;

	check("- rule: cat\n  desc: d\n  condition: proc.nam=cat\n  output: o\n  priority: INFO\n",
	      "", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.out, (const char *[]){name, "proc.name", NULL});
	assert_null(strstr(printed.out, "OK: "));
	printed_finish(&printed);
}

static void test_least_priority(void **state)
{
	struct printed printed;

	check(rule, "--priority error", &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out, (const char *[]){"(1 of a lower priority)", NULL});
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_right),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_least_priority),
};

UNIT_GROUP(tests, .setup = make_file, .teardown = remove_file);
