/* SPDX-License-Identifier: MIT */
/*
 * Makes JSON smaller while it comes, so that the rest of it can be parsed in little memory: items
 * of objects and arrays that are too long, or too many, are left out, and those whose key has a
 * NUL, which parsers reject. For JSON in which strangers choose the size of a part. What is no JSON
 * stays none.
 */
#ifndef UTIL_JSON_THIN_H
#define UTIL_JSON_THIN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

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
