/* SPDX-License-Identifier: MIT */
/* Characters of UTF-8 text that may be damaged. */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at the beginning of `len` bytes. Returns how many bytes it takes (1 to 4)
 * and its code point, or 0 when the bytes there are not a whole valid character.
 */
size_t utf8_decode(const char *text, size_t len, uint32_t *code_point);

#endif
