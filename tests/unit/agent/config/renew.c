/* SPDX-License-Identifier: MIT */
/* What a reload changes, and what needs a restart. */
#include <errno.h>
#include <string.h>

#include "agent/config/load.h"
#include "configured.h"
#include "unit.h"

struct renewed {
	struct options options;
	struct buf messages, restart;
	struct error err;
	int code;
};

/* Writes another text, and reads it as a reload does. */
static void renew(struct configured *configured, const char *text, struct renewed *renewed)
{
	*renewed = (struct renewed){.err = {""}};
	tree_write(&configured->tree, "agent.yaml", text);
	renewed->code = config_renew(&configured->options, &renewed->options, &renewed->messages,
				     &renewed->restart, &renewed->err);
	buf_append_char(&renewed->messages, '\0');
	buf_append_char(&renewed->restart, '\0');
}

static void release(struct renewed *renewed)
{
	options_finish(&renewed->options);
	buf_finish(&renewed->messages);
	buf_finish(&renewed->restart);
}

static void test_changes(void **state)
{
	struct configured configured;
	struct renewed renewed;

	configured_create(&configured);
	configured_right(&configured, "filter: evt.num=1\nsnaplen: 100\nrules: [a]\nself: true\n",
			 NULL);
	renew(&configured,
	      "filter: evt.num=2\nsnaplen: 200\nrules: [b, c]\npriority: error\nverbose: 1\n",
	      &renewed);
	assert_int_equal(renewed.code, -EINVAL); /* 1 is no flag */
	release(&renewed);
	renew(&configured, "filter: evt.num=2\nsnaplen: 200\nrules: [b, c]\npriority: error\n",
	      &renewed);
	assert_int_equal(renewed.code, 0);
	assert_string_equal(renewed.options.filter, "evt.num=2");
	assert_int_equal(renewed.options.rules_count, 2);
	assert_int_equal(renewed.options.priority, PRIORITY_ERROR);
	/* As they were. */
	assert_int_equal(renewed.options.snaplen, 100);
	assert_true(renewed.options.include_self);
	assert_string_equal(renewed.restart.data, "self, snaplen");
	release(&renewed);
	/* What is back is no change. */
	renew(&configured, "filter: evt.num=3\nsnaplen: 100\nself: true\n", &renewed);
	assert_string_equal(renewed.restart.data, "");
	assert_int_equal(renewed.options.rules_count, 0);
	release(&renewed);
	configured_destroy(&configured);
}

/* The command line still comes first, and its words are still there. */
static void test_command_line(void **state)
{
	struct configured configured;
	struct renewed renewed;

	configured_create(&configured);
	configured_right(&configured, "snaplen: 100\nrules: a\n", "--rules x evt.num = 1");
	renew(&configured, "snaplen: 100\nrules: b\nfilter: evt.num=2\n", &renewed);
	assert_int_equal(renewed.code, 0);
	assert_string_equal(renewed.options.rules[0], "x");
	assert_string_equal(renewed.options.filter, "evt.num = 1");
	release(&renewed);
	configured_destroy(&configured);
}

static void test_errors(void **state)
{
	struct configured configured;
	struct renewed renewed;

	configured_create(&configured);
	configured_right(&configured, "rules: a\npriority: error\n", NULL);
	renew(&configured, "rulse: a\npriority: error\n", &renewed);
	assert_int_equal(renewed.code, -EINVAL);
	assert_non_null(
		strstr(renewed.messages.data, "agent.yaml:1:1: error: there is no key 'rulse'"));
	assert_non_null(
		strstr(renewed.messages.data, "agent.yaml:2:1: error: priority goes with rules"));
	assert_non_null(strstr(renewed.err.text, "the configuration has errors"));
	release(&renewed);
	configured_destroy(&configured);
}

/* What a view counts is that of one view from the beginning to the end. */
static void test_views_are_not_read_again(void **state)
{
	struct configured configured;
	struct renewed renewed;

	configured_create(&configured);
	configured_right(&configured, "snaplen: 100\n", "view opens");
	renew(&configured, "snaplen: 200\n", &renewed);
	assert_int_equal(renewed.code, -EINVAL);
	assert_string_equal(renewed.err.text, "a view is not read again: this needs a restart");
	release(&renewed);
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_views_are_not_read_again),
	cmocka_unit_test(test_changes),
	cmocka_unit_test(test_command_line),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
