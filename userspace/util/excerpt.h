/* SPDX-License-Identifier: MIT */
/*
 * Excerpts of a user's text in messages: the line with the error and a caret below it. The output
 * never contains bytes that control a terminal.
 */
#ifndef UTIL_EXCERPT_H
#define UTIL_EXCERPT_H

#include <stddef.h>

#include "util/buf.h"

/*
 * Appends the line that `position` is in, indented, and below it a caret; of a long line what
 * surrounds the place. Lines end with '\n' or '\r'.
 */
void excerpt_append(const char *text, size_t len, size_t position, struct buf *out);

#endif
