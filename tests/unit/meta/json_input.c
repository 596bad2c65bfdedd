/* SPDX-License-Identifier: MIT */
/* JSON that others wrote, up to a limit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/json_input.h"

static void test_paths(void **state)
{
	static const char text[] = "{\"a\": {\"b\": \"c\", \"n\": 1}}";
	json_t *object;

	assert_int_equal(json_input_parse(text, strlen(text), "x", &object, NULL), 0);
	assert_string_equal(JSON_INPUT_TEXT(object, "a", "b"), "c");
	assert_null(JSON_INPUT_TEXT(object, "a", "n"));
	assert_null(JSON_INPUT_AT(object, "a", "b", "c"));
	assert_null(JSON_INPUT_AT(object, "b"));
	assert_null(JSON_INPUT_AT(NULL, "b"));
	json_decref(object);
}

static void test_nonsense(void **state)
{
	static const char *const texts[] = {"", "[]", "{", "{\"a\": \"\xff\"}", "{} x", "1"};
	struct error err;
	json_t *object;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(
			json_input_parse(texts[i], strlen(texts[i]), "here", &object, &err),
			-EBADMSG);
		assert_memory_equal(err.text, "here: no JSON object in the answer: ", 36);
	}
}

static void test_values_are_limited(void **state)
{
	enum { LEN = 8 * 1024 * 1024 };
	char *text = malloc(LEN);
	struct error err;
	json_t *object;

	assert_non_null(text);
	memset(text, '[', LEN);
	assert_int_equal(json_input_parse(text, LEN, "here", &object, &err), -EBADMSG);
	assert_string_equal(err.text, "here: more than 100000 JSON values in the answer");
	for (size_t i = 0; i < LEN; i += 2)
		memcpy(text + i, "1,", 2);
	memcpy(text, "{\"a\":[", 6);
	assert_int_equal(json_input_parse(text, LEN, "here", &object, &err), -EBADMSG);
	assert_string_equal(err.text, "here: more than 100000 JSON values in the answer");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_values_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
