/* SPDX-License-Identifier: MIT */
/* Messages: how they look, their order, and how many are kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"
#include "unit.h"

static void test_how_messages_look(void **state)
{
	struct loaded loaded;
	struct buf out = {0};

	load_text(&loaded, RULE(">\n    evt.num=1 and\n    \tfd.nosuch=1"));
	yaml_report_render(&loaded.report, YAML_NOTE, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "a.yaml:4:6: error: unknown field 'fd.nosuch'\n"
				      "      \tfd.nosuch=1\n"
				      "      \t^\n");
	buf_finish(&out);
	unload(&loaded);
}

static void test_order_of_messages(void **state)
{
	const char *const texts[] = {RULE("fd.nosuch=1") "- list: l\n  items: x\n", "- x\n", NULL};
	struct loaded loaded;
	struct buf out = {0};
	const char *first, *second, *third;

	load_texts(&loaded, texts);
	yaml_report_render(&loaded.report, YAML_NOTE, &out);
	buf_append_char(&out, '\0');
	first = strstr(out.data, "a.yaml:2:14:");
	second = strstr(out.data, "a.yaml:7:10:");
	third = strstr(out.data, "b.yaml:1:3:");
	assert_true(first && second && third && first < second && second < third);
	buf_finish(&out);
	unload(&loaded);
}

static void append_wrong_rule(struct buf *out, size_t i)
{
	buf_printf(out,
		   "- rule: r%zu\n  desc: d\n  condition: fd.nosuch=1 and m_%zu\n"
		   "  output: out\n  priority: info\n",
		   i, i);
}

static void test_many_errors(void **state)
{
	char *text = repeat(2000, append_wrong_rule);
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, -EINVAL);
	assert_int_equal(loaded.report.count, YAML_MESSAGES_MAX);
	assert_in_range(loaded.report.counts[YAML_ERROR], YAML_ERRORS_MAX, YAML_ERRORS_MAX + 10);
	unload(&loaded);
	free(text);
}

/* Each severity has its room; what is above it is counted and not kept. */
static void test_room_of_each_severity(void **state)
{
	enum { COUNT = YAML_ERRORS_MAX + 1 };
	struct yaml_report report = {0};
	struct buf out = {0};

	for (unsigned int i = 0; i < COUNT; i++) {
		assert_int_equal(yaml_report_is_full(&report), i >= YAML_ERRORS_MAX);
		yaml_report_add_file(&report, YAML_NOTE, i, "a.yaml", "note");
		yaml_report_add_file(&report, YAML_ERROR, i, "a.yaml", "text");
	}
	assert_int_equal(report.count, 2 * YAML_MESSAGES_MAX);
	assert_int_equal(report.counts[YAML_ERROR], COUNT);
	assert_int_equal(report.counts[YAML_NOTE], COUNT);
	assert_int_equal(report.counts[YAML_WARNING], 0);
	yaml_report_render(&report, YAML_WARNING, &out);
	buf_append_char(&out, '\0');
	assert_null(strstr(out.data, "note"));
	assert_non_null(strstr(out.data, "a.yaml: error: text\n"
					 "1001 errors or more, of which 100 are shown\n"));
	buf_finish(&out);
	yaml_report_finish(&report);
}

/* An offset behind the end is that of the end; what controls a terminal does not reach it. */
static void test_odd_messages(void **state)
{
	struct yaml_report report = {0};
	struct yaml_file file;
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(yaml_file_copy("a.yaml", "a: b", 4, &file, NULL), 0);
	yaml_report_add(&report, YAML_ERROR, &file, SIZE_MAX, "%s", "a\x1b[2Jb\n");
	assert_string_equal(report.messages[0].text, "a.yaml:1:5: error: a.[2Jb.\n"
						     "  a: b\n"
						     "      ^\n");
	yaml_report_add(&report, YAML_WARNING, &file, 0, "%s", text);
	assert_in_range(strlen(report.messages[1].text), 500, 600);
	assert_non_null(strstr(report.messages[1].text, "xx\n  a: b\n  ^\n"));
	yaml_report_finish(&report);
	yaml_file_finish(&file);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_how_messages_look), cmocka_unit_test(test_order_of_messages),
	cmocka_unit_test(test_many_errors),	  cmocka_unit_test(test_room_of_each_severity),
	cmocka_unit_test(test_odd_messages),
};

UNIT_GROUP(tests);
