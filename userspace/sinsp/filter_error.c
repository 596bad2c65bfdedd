/* SPDX-License-Identifier: MIT */
/* Messages about filters: where something is wrong, and how a user is shown it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "sinsp/filter_tree.h"

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

int filter_error_set(struct filter_error *err, const char *text, size_t position,
		     const char *format, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->expression = text;
	err->position = position;
	err->line = 1;
	err->column = 1;
	for (size_t i = 0; i < position && text[i]; i++) {
		err->column++;
		if (is_line_end(text[i])) {
			err->line++;
			err->column = 1;
		}
	}
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* The caret stands below its byte in any font: tabs stay, and a character of UTF-8 is one blank. */
static void append_caret(const char *line, size_t before, struct buf *out)
{
	for (size_t i = 0; i < before && line[i]; i++) {
		bool continues = ((unsigned char)line[i] & 0xc0) == 0x80;

		if (!continues)
			buf_append_char(out, line[i] == '\t' ? '\t' : ' ');
	}
	BUF_LITERAL(out, "^\n");
}

void filter_error_render(const char *text, const struct filter_error *err, struct buf *out)
{
	size_t start = err->position, end = err->position;

	buf_printf(out, "line %u, column %u: %s\n", err->line, err->column, err->text);
	while (start > 0 && !is_line_end(text[start - 1]))
		start--;
	while (text[end] && !is_line_end(text[end]))
		end++;
	BUF_LITERAL(out, "  ");
	buf_append(out, text + start, end - start);
	BUF_LITERAL(out, "\n  ");
	append_caret(text + start, err->position - start, out);
}
