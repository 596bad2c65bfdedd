/* SPDX-License-Identifier: MIT */
/* Error texts and errno names; lines of a user's text, made safe for a terminal. */
#include "util/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/terminal.h"
#include "util/utf8.h"

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	terminal_mask_lines(err->text, strlen(err->text));
	return code;
}

const char *error_errno_name(int64_t result)
{
	/* The result of a corrupt event may have no negative: INT64_MIN. */
	uint64_t number = -(uint64_t)result;

	/*
	 * Codes for calls that the kernel restarts; only debuggers see them, and libc has no names.
	 */
	switch (number) {
	case 512:
		return "ERESTARTSYS";
	case 513:
		return "ERESTARTNOINTR";
	case 514:
		return "ERESTARTNOHAND";
	case 516:
		return "ERESTART_RESTARTBLOCK";
	}
	return number > 0 && number < 4096 ? strerrorname_np((int)number) : NULL;
}

/* Lines of a user's text, made safe for a terminal. */

/* Bytes on either side of the caret; more are cut, between characters. */
enum { SIDE_BYTES = 80 };

static bool util_error_is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool error_continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where the shown part of a line begins, no more than SIDE_BYTES before the position. */
static size_t shown_start(const char *text, size_t position)
{
	size_t start = position;

	while (start > 0 && !util_error_is_line_end(text[start - 1]) &&
	       position - start < SIDE_BYTES)
		start--;
	while (start < position && error_continues_character(text[start]))
		start++;
	return start;
}

static size_t shown_end(const char *text, size_t len, size_t position)
{
	size_t end = position;

	while (end < len && !util_error_is_line_end(text[end]) && end - position < SIDE_BYTES)
		end++;
	while (end < len && end > position && error_continues_character(text[end]))
		end--;
	return end;
}

/*
 * Puts the caret below its character: tabs stay, and for others there are as many blanks as they
 * take columns.
 */
static void append_caret(const char *line, size_t before, struct buf *out)
{
	for (const char *at = line, *end = line + before; at < end;) {
		uint32_t c;
		size_t n = utf8_decode(at, (size_t)(end - at), &c);

		if (!n) /* the position is inside this character */
			break;
		if (c == '\t')
			buf_append_char(out, '\t');
		for (unsigned int i = c == '\t' ? 0 : utf8_width(c); i > 0; i--)
			buf_append_char(out, ' ');
		at += n;
	}
	BUF_LITERAL(out, "^\n");
}

void error_append_excerpt(const char *text, size_t len, size_t position, struct buf *out)
{
	size_t start = shown_start(text, position), end = shown_end(text, len, position);
	bool cut_before = start > 0 && !util_error_is_line_end(text[start - 1]);
	bool cut_behind = end < len && !util_error_is_line_end(text[end]);
	char line[2 * SIDE_BYTES + 8];
	size_t n = end - start;

	memcpy(line, text + start, n);
	terminal_mask_lines(line, n);
	buf_append_string(out, cut_before ? "  ..." : "  ");
	buf_append(out, line, n);
	buf_append_string(out, cut_behind ? "...\n" : "\n");
	buf_append_string(out, cut_before ? "     " : "  ");
	append_caret(line, position - start, out);
}
