/* SPDX-License-Identifier: MIT */
/* The environment in descriptions that others made is overwritten, whatever they look like. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/container_json.h"
#include "unit.h"

static void expect(const char *text, const char *hidden)
{
	size_t len = strlen(text);
	/* Of that size, so that a sanitizer sees what is beyond it. */
	char *copy = malloc(len ? len : 1);

	assert_int_equal(strlen(hidden), len);
	assert_non_null(copy);
	memcpy(copy, text, len);
	state_container_json_hide_env(copy, len);
	assert_memory_equal(copy, hidden, len);
	free(copy);
}

static void test_hidden(void **state)
{
	static const char *const cases[][2] = {
		{"{\"container\":{\"env\":[\"A=b\",\"C=d\"],\"id\":\"x\"}}",
		 "{\"container\":{\"env\":[           ],\"id\":\"x\"}}"},
		{"{\"id\":\"x\",\"env\":[\"A=b\"]}", "{\"id\":\"x\",\"env\":[     ]}"},
		{"{ \"env\" :\n\t[ \"A\" ] }", "{ \"env\" :\n\t[     ] }"},
		{"{\"env\":[\"]\",\"\\\"]\",[\"a\"],{\"b\":[]}],\"c\":[1]}",
		 "{\"env\":[                        ],\"c\":[1]}"},
		{"{\"\\u0065nv\":[\"A=b\"]}", "{\"\\u0065nv\":[     ]}"},
		{"{\"env\":[\"A\"],\"env\":[\"B\"]}", "{\"env\":[   ],\"env\":[   ]}"},
		/* What ends too early, which readers reject. */
		{"{\"env\":[\"A=b", "{\"env\":[    "},
		{"{\"env\":[\"A=b\\", "{\"env\":[     "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i][0], cases[i][1]);
}

static void test_unchanged(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"\"",
		"\"env\"",
		"\"env\":",
		"{\"env\":[]}",
		"{\"env\":null}",
		"env:[1]",
		"{\"labels\":{\"env\":\"prod\"},\"Mounts\":[\"env\",[\"A=b\"]]}",
		"{\"name\":\"\\\"env\\\":[1]\",\"environment\":[\"a\"]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect(texts[i], texts[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hidden),
	cmocka_unit_test(test_unchanged),
};

UNIT_GROUP(tests);
