/* SPDX-License-Identifier: MIT */
/* JSON that others wrote, up to a limit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_input.h"
#include "unit.h"

static int parse(const char *text, size_t len, json_t **value, struct error *err)
{
	return json_input_parse(text, len, JSON_INPUT_VALUES_MAX, "here", value, err);
}

static void test_paths(void **state)
{
	static const char text[] = "{\"a\": {\"b\": \"c\", \"n\": 1}}";
	json_t *object;

	assert_int_equal(parse(text, strlen(text), &object, NULL), 0);
	assert_string_equal(JSON_INPUT_TEXT(object, "a", "b"), "c");
	assert_null(JSON_INPUT_TEXT(object, "a", "n"));
	assert_null(JSON_INPUT_AT(object, "a", "b", "c"));
	assert_null(JSON_INPUT_AT(object, "b"));
	assert_null(JSON_INPUT_AT(NULL, "b"));
	json_decref(object);
}

static void test_nonsense(void **state)
{
	static const char *const texts[] = {"", "{", "{\"a\": \"\xff\"}", "{} x", "1"};
	struct error err;
	json_t *value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(texts[i], strlen(texts[i]), &value, &err), -EBADMSG);
		assert_memory_equal(err.text, "here: line 1: ", 14);
	}
}

/* A label with a NUL character, which anybody can choose, must not hide the rest. */
static void test_nul(void **state)
{
	static const char text[] = "{\"a\": \"x\\u0000y\", \"b\": \"c\"}";
	json_t *object;

	assert_int_equal(parse(text, strlen(text), &object, NULL), 0);
	assert_string_equal(JSON_INPUT_TEXT(object, "a"), "x");
	assert_string_equal(JSON_INPUT_TEXT(object, "b"), "c");
	json_decref(object);
}

static void test_object(void **state)
{
	static const char *const others[] = {NULL, "", "[]", "{", "{} x", "1"};
	json_t *object = json_input_object("{\"a\": \"b\"}");

	assert_string_equal(JSON_INPUT_TEXT(object, "a"), "b");
	json_decref(object);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(json_input_object(others[i]));
}

static void test_values_are_limited(void **state)
{
	enum { LEN = 8 * 1024 * 1024 };
	char *text = malloc(LEN + 1);
	struct error err;
	json_t *value;

	assert_non_null(text);
	memset(text, '[', LEN);
	assert_int_equal(parse(text, LEN, &value, &err), -EBADMSG);
	assert_string_equal(err.text, "here: more than 100000 JSON values");
	for (size_t i = 0; i < LEN; i += 2)
		memcpy(text + i, "1,", 2);
	memcpy(text, "{\"a\":[", 6);
	memcpy(text + LEN - 3, "1]}", 4);
	assert_int_equal(parse(text, LEN, &value, &err), -EBADMSG);
	assert_string_equal(err.text, "here: more than 100000 JSON values");
	assert_null(json_input_object(text));
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_paths),
	cmocka_unit_test(test_nonsense),
	cmocka_unit_test(test_nul),
	cmocka_unit_test(test_object),
	cmocka_unit_test(test_values_are_limited),
};

UNIT_GROUP(tests);
