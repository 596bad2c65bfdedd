/* SPDX-License-Identifier: MIT */
/* Sequential reading of bytes of a capture file, none of them trusted. */
#ifndef SCAP_FILE_CURSOR_H
#define SCAP_FILE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/buf.h"

/* Bytes beyond the end read as 0. */
struct cursor {
	const uint8_t *at;
	size_t left;
	struct buf *texts; /* borrowed: receives the strings; has space for them and their NULs */
	bool missing; /* a read went beyond the end */
	bool corrupt; /* invalid data: the rest cannot be read */
};

/* The next `n` bytes; NULL if there are fewer. */
static inline const uint8_t *cursor_take(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor->at;

	if (n > cursor->left) {
		cursor->missing = true;
		cursor->left = 0;
		return NULL;
	}
	cursor->at += n;
	cursor->left -= n;
	return at;
}

/* A number of `n` bytes, at most 8. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor_take(cursor, n);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, n);
	return number;
}

/* Copies `n` bytes to the texts, followed by a NUL; "" if there are fewer. */
const char *cursor_text(struct cursor *cursor, size_t n);

/* Copies a string that follows its 16-bit length, which is stored in `len` unless that is NULL. */
const char *cursor_string(struct cursor *cursor, size_t *len);

#endif
