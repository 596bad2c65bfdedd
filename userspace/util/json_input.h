/* SPDX-License-Identifier: MIT */
/*
 * JSON that others wrote. A parser takes memory for each value, many times its length in the text:
 * what has more values than any description is rejected before.
 */
#ifndef UTIL_JSON_INPUT_H
#define UTIL_JSON_INPUT_H

#include <jansson.h>

#include "util/error.h"

enum { JSON_INPUT_VALUES_MAX = 100000 }; /* of a text about one container */

/*
 * Parses an object or an array of UTF-8; a string with a NUL character ends there for readers.
 * Returns 0 with a value, which the caller releases with json_decref(), or -EBADMSG with a message
 * that begins with `what`.
 */
int json_input_parse(const char *text, size_t len, size_t values_max, const char *what,
		     json_t **value, struct error *err);

/* The object in a text of up to JSON_INPUT_VALUES_MAX, for the caller to release; NULL: none. */
json_t *json_input_object(const char *text);

/* The value at the end of a path of names; NULL if there is none. Names end with NULL. */
const json_t *json_input_get(const json_t *object, const char *const *path);
#define JSON_INPUT_AT(object, ...) json_input_get(object, (const char *const[]){__VA_ARGS__, NULL})

/* A text at the end of a path; NULL if there is none. */
#define JSON_INPUT_TEXT(object, ...) json_string_value(JSON_INPUT_AT(object, __VA_ARGS__))

#endif
