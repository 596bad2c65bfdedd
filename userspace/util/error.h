/* SPDX-License-Identifier: MIT */
/*
 * The message of an error code. Libraries set it; only the agent prints it. Every
 * function that takes a `struct error *` accepts NULL.
 */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stdint.h>

struct error {
	char text[1024]; /* one or more lines without a final newline: what failed, and what to do */
};

/*
 * Sets the text (cut if it is too long, masked by terminal_mask_lines()) and returns `code`, so that
 * it can end a function.
 */
__attribute__((format(printf, 3, 4))) int error_set(struct error *err, int code, const char *format,
						    ...);

/* The errno name of a result ("ENOENT" for -2), or NULL if it has none. */
const char *errno_name(int64_t result);

#endif
