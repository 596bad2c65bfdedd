/* SPDX-License-Identifier: MIT */
/* Lines of a user's text, made safe for a terminal. */
#include "util/excerpt.h"

#include <stdbool.h>

#include "util/utf8.h"
#include "util/width.h"

/* Bytes on either side of the caret; more are cut, between characters. */
enum { SIDE_BYTES = 80 };

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Such a character controls the terminal instead of being displayed. */
static bool steers(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x08},	  {0x0a, 0x1f},	    {0x7f, 0x9f},     {0x61c, 0x61c},
		{0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

void excerpt_make_plain(char *text, size_t len)
{
	while (len) {
		uint32_t c;
		size_t n = utf8_decode(text, len, &c);
		bool plain = n && !steers(c);

		n += n == 0;
		if (!plain)
			memset(text, '.', n);
		text += n;
		len -= n;
	}
}

/* Where the shown part of a line begins, no more than SIDE_BYTES before the position. */
static size_t shown_start(const char *text, size_t position)
{
	size_t start = position;

	while (start > 0 && !is_line_end(text[start - 1]) && position - start < SIDE_BYTES)
		start--;
	while (start < position && continues_character(text[start]))
		start++;
	return start;
}

static size_t shown_end(const char *text, size_t len, size_t position)
{
	size_t end = position;

	while (end < len && !is_line_end(text[end]) && end - position < SIDE_BYTES)
		end++;
	while (end < len && end > position && continues_character(text[end]))
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
		for (unsigned int i = c == '\t' ? 0 : width_of(c); i > 0; i--)
			buf_append_char(out, ' ');
		at += n;
	}
	BUF_LITERAL(out, "^\n");
}

void excerpt_append(const char *text, size_t len, size_t position, struct buf *out)
{
	size_t start = shown_start(text, position), end = shown_end(text, len, position);
	bool cut_before = start > 0 && !is_line_end(text[start - 1]);
	bool cut_behind = end < len && !is_line_end(text[end]);
	char line[2 * SIDE_BYTES + 8];
	size_t n = end - start;

	memcpy(line, text + start, n);
	excerpt_make_plain(line, n);
	buf_append_string(out, cut_before ? "  ..." : "  ");
	buf_append(out, line, n);
	buf_append_string(out, cut_behind ? "...\n" : "\n");
	buf_append_string(out, cut_before ? "     " : "  ");
	append_caret(line, position - start, out);
}
