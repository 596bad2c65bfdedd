/* SPDX-License-Identifier: MIT */
/* What is wrong with an expression, and where. */
#ifndef SINSP_FILTER_ERROR_H
#define SINSP_FILTER_ERROR_H

#include <stddef.h>

#include "util/buf.h"

struct filter_error {
	size_t position; /* byte of the expression, from 0 */
	unsigned int line, column; /* from 1 */
	char text[256]; /* what is wrong, and the nearest valid word if there is one */
	const char *expression; /* borrowed: the text that the position refers to */
};

/* Describes what is wrong at a position of an expression, and returns -EINVAL. */
__attribute__((format(printf, 4, 5))) int filter_error_set(struct filter_error *err,
							   const char *text, size_t position,
							   const char *format, ...);

/* Appends the message, the line of the expression that is wrong, and a caret under the column. */
void filter_error_render(const char *text, const struct filter_error *err, struct buf *out);

#endif
