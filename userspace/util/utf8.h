/* SPDX-License-Identifier: MIT */
/* Characters of UTF-8 text that may be invalid, and how many columns of a terminal each takes. */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at the beginning of `len` bytes. Returns how many bytes it takes (1 to 4)
 * and its code point, or 0 if the bytes there are not a whole valid character.
 */
size_t utf8_decode(const char *text, size_t len, uint32_t *code_point);

/*
 * Non-ASCII characters that control a terminal: C1 control characters, line and paragraph
 * separators, and what turns the direction of a text.
 */
static inline bool utf8_is_control(uint32_t c)
{
	return (c >= 0x80 && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* How many columns of a terminal a character takes, whatever the locale is. */

/*
 * 0 for combining and format characters, 2 for wide ones (CJK, most emoji), 1 for others. Control
 * characters have no width; do not ask for theirs.
 */
unsigned int utf8_width(uint32_t code_point);

#endif
