/* SPDX-License-Identifier: MIT */
/* Errors about nodes. */
#include <errno.h>

#include "agent/config/reader.h"
#include "unit.h"

static void test_reject(void **state)
{
	static const char text[] = "a: 1\nb: [\xc3\xa4, x]\n";
	struct yaml_report report = {0};
	struct config_reader reader = {.report = &report};
	struct yaml_file file;
	struct yaml_node node = {.file = &file, .start = 12};

	assert_int_equal(yaml_file_copy("a.yaml", text, sizeof(text) - 1, &file, NULL), 0);
	assert_int_equal(config_reject(&reader, &node, "no %s", "way"), -EINVAL);
	assert_int_equal(report.count, 1);
	assert_int_equal(report.messages[0].line, 2);
	assert_int_equal(report.messages[0].column, 7);
	assert_non_null(strstr(report.messages[0].text, ": error: no way\n"));
	yaml_report_finish(&report);
	yaml_file_finish(&file);
}

static void test_kinds(void **state)
{
	struct yaml_node node = {.kind = YAML_SCALAR, .style = YAML_PLAIN, .text = "x", .len = 1};

	assert_string_equal(config_kind_name(&node), "a text");
	node.len = 0;
	assert_string_equal(config_kind_name(&node), "nothing");
	node.kind = YAML_SEQUENCE;
	assert_string_equal(config_kind_name(&node), "a sequence");
	node.kind = YAML_MAPPING;
	assert_string_equal(config_kind_name(&node), "a mapping");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_reject),
	cmocka_unit_test(test_kinds),
};

UNIT_GROUP(tests);
