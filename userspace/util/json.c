/* SPDX-License-Identifier: MIT */
/* JSON strings are scanned eight bytes at a time: most need no escape at all. */
#include "util/json.h"

#include <string.h>

#include "util/utf8.h"

enum { WORD_BYTES = sizeof(uint64_t) };

#define EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))
#define EXACT_MAX (UINT64_C(1) << 53)

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static bool is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static uint64_t any_zero(uint64_t word)
{
	return (word - EVERY_BYTE(1)) & ~word & EVERY_BYTE(0x80);
}

/* Whether one of the eight bytes is not plain. */
static bool word_needs_care(uint64_t word)
{
	uint64_t control = (word - EVERY_BYTE(0x20)) & ~word & EVERY_BYTE(0x80);

	return ((word & EVERY_BYTE(0x80)) | control | any_zero(word ^ EVERY_BYTE('"')) |
		any_zero(word ^ EVERY_BYTE('\\'))) != 0;
}

/* How many bytes can be copied as they are. */
static size_t plain_run(const char *text, size_t len)
{
	size_t n = 0;

	for (; len - n >= WORD_BYTES; n += WORD_BYTES) {
		uint64_t word;

		memcpy(&word, text + n, sizeof(word));
		if (word_needs_care(word))
			break;
	}
	while (n < len && is_plain((uint8_t)text[n]))
		n++;
	return n;
}

static void append_escape(struct buf *out, uint8_t byte)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  ['\f'] = 'f',
		['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\',
	};
	char escape[6] = "\\u00";

	if (byte < sizeof(letters) && letters[byte]) {
		escape[1] = letters[byte];
		buf_append(out, escape, 2);
		return;
	}
	escape[4] = "0123456789abcdef"[byte >> 4];
	escape[5] = "0123456789abcdef"[byte & 0xf];
	buf_append(out, escape, sizeof(escape));
}

/* Appends the character at `text`, which is not plain; returns its bytes. */
static size_t append_character(struct buf *out, const char *text, size_t len)
{
	uint8_t first = (uint8_t)text[0];
	uint32_t code_point;
	size_t n;

	if (first < 0x80) {
		append_escape(out, first);
		return 1;
	}
	n = utf8_decode(text, len, &code_point);
	if (n) {
		buf_append(out, text, n);
		return n;
	}
	buf_append(out, replacement, sizeof(replacement) - 1);
	return 1;
}

void json_append_string(struct buf *out, const char *text, size_t len)
{
	buf_append_char(out, '"');
	while (len > 0) {
		size_t n = plain_run(text, len);

		buf_append(out, text, n);
		if (n < len)
			n += append_character(out, text + n, len - n);
		text += n;
		len -= n;
	}
	buf_append_char(out, '"');
}

void json_append_hex(struct buf *out, uint64_t value)
{
	BUF_LITERAL(out, "\"0x");
	buf_append_hex_lower(out, value);
	buf_append_char(out, '"');
}

void json_append_u64(struct buf *out, uint64_t value)
{
	if (value > EXACT_MAX)
		json_append_hex(out, value);
	else
		buf_append_u64(out, value);
}

void json_append_i64(struct buf *out, int64_t value)
{
	bool exact = value <= (int64_t)EXACT_MAX && value >= -(int64_t)EXACT_MAX;

	if (!exact)
		buf_append_char(out, '"');
	buf_append_i64(out, value);
	if (!exact)
		buf_append_char(out, '"');
}
