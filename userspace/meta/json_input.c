/* SPDX-License-Identifier: MIT */
#include "meta/json_input.h"

#include <errno.h>
#include <string.h>

/* At least the count of values: characters that stand between them, those in texts included. */
static size_t count_values(const char *text, size_t len)
{
	size_t count = 1;

	for (size_t i = 0; i < len; i++)
		count += text[i] == ',' || text[i] == ':' || text[i] == '[' || text[i] == '{';
	return count;
}

int json_input_parse(const char *text, size_t len, const char *what, json_t **object,
		     struct error *err)
{
	json_error_t error;
	json_t *root;

	if (count_values(text, len) > JSON_INPUT_VALUES_MAX)
		return error_set(err, -EBADMSG, "%s: more than %d JSON values in the answer", what,
				 JSON_INPUT_VALUES_MAX);
	root = json_loadb(text, len, JSON_ALLOW_NUL, &error);
	if (!json_is_object(root)) {
		json_decref(root);
		return error_set(err, -EBADMSG, "%s: no JSON object in the answer: %s", what,
				 root ? "another value" : error.text);
	}
	*object = root;
	return 0;
}

const json_t *json_input_get(const json_t *object, const char *const *path)
{
	while (object && *path)
		object = json_object_get(object, *path++);
	return object;
}
