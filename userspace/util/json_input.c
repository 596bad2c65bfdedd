/* SPDX-License-Identifier: MIT */
/* Counts values and depth before the parser sees the text. */
#include "util/json_input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* At least the count of values: characters that stand between them. */
static size_t json_input_count_values(const char *text, size_t len)
{
	bool in_text = false;
	size_t count = 1;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			in_text = !in_text;
		else if (in_text)
			i += text[i] == '\\';
		else
			count += text[i] == ',' || text[i] == ':' || text[i] == '[' ||
				 text[i] == '{';
	}
	return count;
}

/* Of a parser's message, which ends in what it found: "... near 'words'". */
static size_t text_len_without_words(const char *message)
{
	const char *near = strstr(message, " near ");

	return near ? (size_t)(near - message) : strlen(message);
}

int json_input_parse(const char *text, size_t len, size_t values_max, const char *what,
		     json_t **value, struct error *err)
{
	json_error_t wrong;

	if (json_input_count_values(text, len) > values_max)
		return error_set(err, -EBADMSG, "%s: more than %zu JSON values", what, values_max);
	*value = json_loadb(text, len, JSON_ALLOW_NUL, &wrong);
	if (*value)
		return 0;
	/* Without the words that stand there: the file may be none that others may read. */
	return error_set(err, -EBADMSG, "%s: line %d: %.*s", what, wrong.line,
			 (int)text_len_without_words(wrong.text), wrong.text);
}

json_t *json_input_object(const char *text)
{
	json_t *value;

	if (!text || json_input_parse(text, strlen(text), JSON_INPUT_VALUES_MAX, "", &value, NULL))
		return NULL;
	if (json_is_object(value))
		return value;
	json_decref(value);
	return NULL;
}

const json_t *json_input_get(const json_t *object, const char *const *path)
{
	while (object && *path)
		object = json_object_get(object, *path++);
	return object;
}
