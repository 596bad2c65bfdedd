/* SPDX-License-Identifier: MIT */
/*
 * The message of an error code, and excerpts of a user's text in messages: the line with the error
 * and a caret below it.
 */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/*
 * The message of an error code. Libraries set it; only the agent prints it. Every
 * function that takes a `struct error *` accepts NULL.
 */

struct error {
	char text[1024]; /* one or more lines without a final newline: what failed, and what to do
			  */
};

/*
 * Sets the text (cut if it is too long, masked by terminal_mask_lines()) and returns `code`, so
 * that it can end a function.
 */
__attribute__((format(printf, 3, 4))) int error_set(struct error *err, int code, const char *format,
						    ...);

/* The errno name of a result ("ENOENT" for -2), or NULL if it has none. */
const char *error_errno_name(int64_t result);

/*
 * Excerpts of a user's text in messages: the line with the error and a caret below it. The output
 * never contains bytes that control a terminal.
 */

/*
 * Appends the line that `position` is in, indented, and below it a caret; of a long line what
 * surrounds the place. Lines end with '\n' or '\r'.
 */
void error_append_excerpt(const char *text, size_t len, size_t position, struct buf *out);

#endif
