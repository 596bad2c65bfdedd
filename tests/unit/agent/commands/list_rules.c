/* SPDX-License-Identifier: MIT */
/* The list of rules: as text, as JSON, by tags, and what is said of files that are wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "unit.h"

static const char rules[] = "- rule: One\n  desc: >\n    what it\n    finds\n"
			    "  condition: evt.type=open\n  output: a %fd.name\n"
			    "  priority: WARNING\n  tags: [network, b]\n"
			    "- rule: Two\n  desc: other\n  condition: evt.type=close\n"
			    "  output: b\n  priority: INFO\n";

static void run(const char *options, const char *text, struct printed *printed)
{
	char path[] = "/tmp/list_rules.XXXXXX", line[256];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	snprintf(line, sizeof(line), options, path);
	printed_run(line, printed);
	unlink(path);
}

static void test_text(void **state)
{
	struct printed printed;

	run("rules %s", rules, &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.out, "RULE  PRIORITY       TAGS        MEANING\n"
					 "One   Warning        network, b  what it finds\n"
					 "Two   Informational              other\n");
	printed_finish(&printed);
	run("-L --rules %s --tag network", rules, &printed);
	assert_null(strstr(printed.out, "Two"));
	assert_non_null(strstr(printed.out, "One"));
	printed_finish(&printed);
	run("rules %s --exclude-tag network -j", rules, &printed);
	assert_string_equal(
		printed.out,
		"{\"rule\":\"Two\",\"priority\":\"Informational\",\"tags\":[],"
		"\"desc\":\"other\",\"condition\":\"evt.type=close\",\"output\":\"b\"}\n");
	printed_finish(&printed);
}

static void test_failures(void **state)
{
	struct printed printed;

	run("rules %s --tag nosuch", rules, &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: no rule runs with these options\n");
	printed_finish(&printed);
	run("rules %s", "- rule: One\n", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_failures),
};

UNIT_GROUP(tests);
