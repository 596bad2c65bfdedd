/* SPDX-License-Identifier: MIT */
/*
 * JSON that others wrote, and may be too large. A parser takes memory for each value, many times
 * its length in the text: what has more values than any description is rejected before; or it is
 * made smaller while it comes.
 */
#ifndef UTIL_JSON_INPUT_H
#define UTIL_JSON_INPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
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

/*
 * Makes JSON smaller while it comes, so that the rest of it can be parsed in little memory: items
 * of objects and arrays that are too long, or too many, are left out, and those whose key has a
 * NUL, which parsers reject. For JSON in which strangers choose the size of a part. What is no JSON
 * stays none.
 */

enum {
	JSON_THIN_TEXT_BYTES = 256 * 1024, /* of one text, as it is written */
	JSON_THIN_LIST_BYTES = 256 * 1024, /* of the items of one object or array */
	JSON_THIN_ITEMS = 4096,
	JSON_THIN_LEVELS = 64,
};

/* An object or an array that has begun: offsets in `out`. */
struct json_thin_level {
	size_t begin; /* of its first item */
	size_t item; /* of the one that has begun, with the comma before it */
	uint32_t items;
};

struct json_thin {
	struct buf out; /* owned */
	uint32_t left_out; /* items */
	size_t max; /* bytes of `out` */
	unsigned int free_levels; /* the outer levels, whose lists may be of any length */
	unsigned int depth; /* levels that have begun */
	unsigned int skipped; /* levels that have begun in an item that is left out */
	bool skips; /* the item of the last level is left out */
	bool in_text, escaped, key_has_nul;
	size_t text_bytes;
	unsigned int nul; /* characters of "\u0000" so far */
	struct json_thin_level levels[JSON_THIN_LEVELS];
};

/* NULL if out of memory. */
struct json_thin *json_thin_create(unsigned int free_levels, size_t max);
void json_thin_destroy(struct json_thin *thin); /* accepts NULL */

/* Takes the next bytes. Returns 0, -EFBIG if that is more than `max`, or -ENOMEM. */
int json_thin_add(struct json_thin *thin, const char *bytes, size_t len);

#endif
