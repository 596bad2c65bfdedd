/* SPDX-License-Identifier: MIT */
/*
 * JSON that others wrote. A parser takes memory for each value, many times its length in the text:
 * what has more values than any description is rejected before.
 */
#ifndef META_JSON_INPUT_H
#define META_JSON_INPUT_H

#include <jansson.h>

#include "util/error.h"

enum { JSON_INPUT_VALUES_MAX = 100000 };

/*
 * Parses a text. Returns 0 with an object, which the caller releases with json_decref(), or
 * -EBADMSG with a message that begins with `what`.
 */
int json_input_parse(const char *text, size_t len, const char *what, json_t **object,
		     struct error *err);

/* The value at the end of a path of names; NULL if there is none. Names end with NULL. */
const json_t *json_input_get(const json_t *object, const char *const *path);
#define JSON_INPUT_AT(object, ...) json_input_get(object, (const char *const[]){__VA_ARGS__, NULL})

/* A text at the end of a path; NULL if there is none. */
#define JSON_INPUT_TEXT(object, ...) json_string_value(JSON_INPUT_AT(object, __VA_ARGS__))

#endif
