/* SPDX-License-Identifier: MIT */
/* Error messages about filters: the position of an error, and its rendering for users. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "sinsp/filter/tree.h"
#include "util/error.h"
#include "util/terminal.h"

static bool error_is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static void error_describe(struct filter_error *err, const char *text, size_t position,
			   const char *format, va_list args)
{
	err->expression = text;
	err->position = position;
	err->line = 1;
	err->column = 1;
	for (size_t i = 0; i < position && text[i]; i++) {
		err->column++;
		if (error_is_line_end(text[i])) {
			err->line++;
			err->column = 1;
		}
	}
	vsnprintf(err->text, sizeof(err->text), format, args);
	terminal_mask(err->text, strlen(err->text));
}

int filter_error_set(struct filter_error *err, const char *text, size_t position,
		     const char *format, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	va_start(args, format);
	error_describe(err, text, position, format, args);
	va_end(args);
	return -EINVAL;
}

void filter_warn(const struct filter_options *options, const char *text, size_t position,
		 const char *format, ...)
{
	struct filter_error warning;
	va_list args;

	if (!options->warn)
		return;
	va_start(args, format);
	error_describe(&warning, text, position, format, args);
	va_end(args);
	options->warn(options->warn_context, &warning);
}

void filter_error_render(const char *text, const struct filter_error *err, struct buf *out)
{
	buf_printf(out, "line %u, column %u: %s\n", err->line, err->column, err->text);
	error_append_excerpt(text, strlen(text), err->position, out);
}
