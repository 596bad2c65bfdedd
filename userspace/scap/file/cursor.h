/* SPDX-License-Identifier: MIT */
/* Bytes of a capture file that are taken one after the other, none of them trusted. */
#ifndef SCAP_FILE_CURSOR_H
#define SCAP_FILE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/buf.h"

/* What is beyond the end reads as 0. */
struct cursor {
	const uint8_t *at;
	size_t left;
	struct buf *texts; /* borrowed: gets the strings, and has room for them, NULs included */
	bool missing; /* something was beyond the end */
	bool damaged; /* something makes no sense, so that the rest cannot be read */
};

/* The next `n` bytes; NULL if they are missing. */
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

/* A number of so many bytes, at most 8. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor_take(cursor, n);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, n);
	return number;
}

/* Copies `n` bytes to the texts, followed by a NUL them; "" when they are missing. */
const char *cursor_text(struct cursor *cursor, size_t n);

/* The same for a string with its length of 16 bits, which `len` gets if it is not NULL. */
const char *cursor_string(struct cursor *cursor, size_t *len);

#endif
