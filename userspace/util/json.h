/* SPDX-License-Identifier: MIT */
/* Appends JSON values to a buffer. */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/*
 * Appends a JSON string with its quotes, always valid: control characters, those of
 * utf8_is_control() included, are escaped, other UTF-8 is copied, and each invalid byte becomes
 * U+FFFD. Returns false if there were invalid bytes.
 */
bool json_append_string(struct buf *out, const char *text, size_t len);

/*
 * Append a number that every reader of JSON keeps exactly; beyond 2^53 it is a string: "0x..." for
 * unsigned ones, decimal for signed ones.
 */
void json_append_u64(struct buf *out, uint64_t value);
void json_append_i64(struct buf *out, int64_t value);

/*
 * Appends a number as JSON's own. From 2^63 on it has a fraction, ".0", as readers that have signed
 * integers of 64 bits reject a record with a larger one; with it they round the number.
 */
static inline void json_append_natural(struct buf *out, uint64_t value)
{
	buf_append_u64(out, value);
	if (value > INT64_MAX)
		BUF_LITERAL(out, ".0");
}

/*
 * Ends an object that began at `start`. Each key was written with a comma before it; the first
 * comma becomes the opening bracket.
 */
void json_end_object(struct buf *out, size_t start);

/* Appends ns: a number, or beyond 2^53 (104 days) a string of decimal digits. */
void json_append_duration(struct buf *out, uint64_t ns);

/*
 * Append a key derived from another one (,"name": becomes ,"name_b64":), and bytes as a base64
 * string.
 */
void json_append_base64_key(struct buf *out, const char *key, size_t len);
void json_append_base64(struct buf *out, const void *bytes, size_t len);

/* Appends the string "0x1f". */
void json_append_hex(struct buf *out, uint64_t value);

#endif
