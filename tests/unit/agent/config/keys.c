/* SPDX-License-Identifier: MIT */
/* Keys of a configuration: every option but a few is one, and others are rejected where they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configured.h"
#include "unit.h"

/* A row of each option: it is a key, or says why it is none. */
static void test_every_option(void **state)
{
	const struct option_row *row;
	struct configured configured;
	unsigned int keys = 0;

	configured_create(&configured);
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		char text[128];
		bool is_key;

		snprintf(text, sizeof(text), "%s:\n", option_key(row));
		configured_load(&configured, text, NULL);
		is_key = strstr(configured.messages.data, "expected") != NULL;
		keys += is_key;
		if (row->subcommand || row->not_a_key)
			assert_non_null(strstr(configured.messages.data, "for the command line: "));
		else if (!is_key)
			assert_non_null(
				strstr(configured.messages.data, "is written 'follow: false'"));
	}
	assert_in_range(keys, 40, OPTIONS_MAX);
	configured_destroy(&configured);
}

static void test_rejected(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(
		&configured, "snaplen: 5\nbufer-size: 4M\nSelf: true\nxyz: 1\n",
		"agent.yaml:2:1: error: there is no key 'bufer-size'; did you mean "
		"'buffer-size'?\n"
		"agent.yaml:3:1: error: there is no key 'Self'; did you mean 'self'?\n"
		"agent.yaml:4:1: error: there is no key 'xyz'; keys are the long names of "
		"options (agent --help=all)\n");
	configured_rejected(&configured, "self: true\n\nself: false\nself: true\n",
			    "agent.yaml:3:1: error: 'self' is there twice: also in line 1\n"
			    "agent.yaml:4:1: error: 'self' is there twice: also in line 3\n");
	configured_rejected(
		&configured, "inclde: a\ninclude: []\ninclude: []\n",
		"agent.yaml:1:1: error: there is no key 'inclde'; did you mean 'include'?\n"
		"agent.yaml:3:1: error: 'include' is there twice: also in line 2\n");
	configured_rejected(
		&configured, "version: true\nconfig: a\nno-follow: true\n",
		"agent.yaml:1:1: error: 'version' is for the command line: it is a command\n"
		"agent.yaml:2:1: error: 'config' is for the command line: files are named "
		"by 'include'\n"
		"agent.yaml:3:1: error: 'no-follow' is written 'follow: false'\n");
	configured_destroy(&configured);
}

/* Very many wrong keys end early. */
static void test_very_many(void **state)
{
	struct configured configured;
	struct buf text = {0};

	configured_create(&configured);
	for (unsigned int i = 0; i < 5000; i++)
		buf_printf(&text, "wrong%u: 1\n", i);
	buf_append_char(&text, '\0');
	configured_load(&configured, text.data, NULL);
	assert_non_null(strstr(configured.messages.data, "agent.yaml:100:1: error"));
	assert_null(strstr(configured.messages.data, "agent.yaml:101:1: error"));
	buf_finish(&text);
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_option),
	cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_very_many),
};

UNIT_GROUP(tests);
