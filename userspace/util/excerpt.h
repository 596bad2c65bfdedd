/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a user's text inside messages: the line that is wrong with a caret under the place.
 * Whatever the bytes are, they cannot steer a terminal.
 */
#ifndef UTIL_EXCERPT_H
#define UTIL_EXCERPT_H

#include <stddef.h>

#include "util/buf.h"

/*
 * Puts dots in place of control characters (tabs stay), of those that turn the direction of
 * writing, and of bytes that are no UTF-8. The length stays.
 */
void excerpt_make_plain(char *text, size_t len);

/*
 * Appends the line that `position` is in, indented, and below it a caret; of a long line what
 * surrounds the place. Lines end with '\n' or '\r'.
 */
void excerpt_append(const char *text, size_t len, size_t position, struct buf *out);

#endif
