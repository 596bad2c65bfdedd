/* SPDX-License-Identifier: MIT */
/* Environment variables in values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configured.h"
#include "unit.h"

static int set_variables(void **state)
{
	setenv("CONFIG_NAME", "cat", 1);
	setenv("CONFIG_EMPTY", "", 1);
	setenv("CONFIG_NUMBER", "300", 1);
	setenv("CONFIG_SECRET", "hunter2", 1);
	unsetenv("CONFIG_NONE");
	return 0;
}

static void test_values(void **state)
{
	static const struct {
		const char *text, *value;
	} rows[] = {
		{"${CONFIG_NAME}", "cat"},
		{"a${CONFIG_NAME}b${CONFIG_NAME}", "acatbcat"},
		{"${CONFIG_NONE:-dog}", "dog"},
		{"${CONFIG_EMPTY:-dog}", "dog"},
		{"x${CONFIG_EMPTY}", "x"},
		{"x${CONFIG_NONE:-}", "x"},
		{"${CONFIG_NAME:-dog}", "cat"},
		{"${CONFIG_NONE:-a:-b}", "a:-b"},
		{"$${CONFIG_NAME}", "${CONFIG_NAME}"},
		{"a$", "a$"},
		{"$CONFIG_NAME $$ $1", "$CONFIG_NAME $ $1"},
		{"'${CONFIG_NAME}'", "cat"},
		{"\"${CONFIG_NAME}\\t\"", "cat\t"},
	};
	struct configured configured;
	char text[128];

	configured_create(&configured);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "print: %s\n", rows[i].text);
		configured_right(&configured, text, NULL);
		assert_string_equal(configured.options.print, rows[i].value);
	}
	configured_right(&configured, "snaplen: ${CONFIG_NUMBER}\nself: ${CONFIG_NONE:-true}\n",
			 NULL);
	assert_int_equal(configured.options.snaplen, 300);
	assert_true(configured.options.include_self);
	configured_destroy(&configured);
}

static void test_wrong(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(
		&configured,
		"print: 'a ${CONFIG_NONE}'\nwrite: ${\nread: \"${}\"\nhost-root: ${1A}\n"
		"k8s-node: ${CONFIG_NAME-x}\n",
		"agent.yaml:1:11: error: the environment variable CONFIG_NONE is not set; "
		"${CONFIG_NONE:-TEXT} has a default\n"
		"agent.yaml:2:8: error: '${' lacks its '}' ('$$' is a dollar sign)\n"
		"agent.yaml:3:8: error: expected the name of a variable, as in ${NAME} or "
		"${NAME:-TEXT} ('$$' is a dollar sign)\n"
		"agent.yaml:4:12: error: expected the name of a variable, as in ${NAME} or "
		"${NAME:-TEXT} ('$$' is a dollar sign)\n"
		"agent.yaml:5:24: error: expected '}' or ':-' after the name of a "
		"variable\n");
	/* What a variable has is not shown. */
	configured_rejected(
		&configured, "snaplen: ${CONFIG_SECRET}\n",
		"agent.yaml:1:10: error: snaplen: expected a number from 0 to 65000, not "
		"'${CONFIG_SECRET}'\n");
	configured_destroy(&configured);
}

static void test_bound(void **state)
{
	struct configured configured;
	struct buf text = {0};
	size_t len = 100000;
	char *value = malloc(len + 1);

	memset(value, 'x', len);
	value[len] = '\0';
	setenv("CONFIG_LONG", value, 1);
	configured_create(&configured);
	buf_append_string(&text, "rules:\n");
	for (unsigned int i = 0; i < 1000; i++)
		buf_append_string(&text, "- ${CONFIG_LONG}\n");
	buf_append_char(&text, '\0');
	configured_load(&configured, text.data, NULL);
	assert_non_null(
		strstr(configured.messages.data,
		       "agent.yaml:169:3: error: the values of the configuration are longer "
		       "than 16 MiB together\n"));
	buf_finish(&text);
	free(value);
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_bound),
};

UNIT_GROUP(tests, .setup = set_variables);
