/* SPDX-License-Identifier: MIT */
/* Strings of a capture file, with a NUL appended to each. */
#include "scap/file/cursor.h"

const char *cursor_text(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor_take(cursor, n);
	const char *text = cursor->texts->data + cursor->texts->len;

	if (!at)
		return "";
	buf_append(cursor->texts, at, n);
	buf_append_char(cursor->texts, '\0');
	return text;
}

const char *cursor_string(struct cursor *cursor, size_t *len)
{
	size_t n = cursor_number(cursor, sizeof(uint16_t));
	const char *text = cursor_text(cursor, n);

	if (len)
		*len = cursor->missing ? 0 : n;
	return text;
}
