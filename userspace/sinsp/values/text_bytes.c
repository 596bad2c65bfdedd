/* SPDX-License-Identifier: MIT */
/* The forms of buffers, and the masking of control characters for terminals. */
#include "sinsp/values/text_bytes.h"

#include <stdbool.h>
#include <string.h>

#include "util/base64.h"
#include "util/utf8.h"

enum { ROW_BYTES = 16, GROUP_BYTES = 2, GROUP_COLUMNS = 5 };

enum { FIRST_PRINTABLE = 0x20, DELETE = 0x7f };

typedef uint8_t vector __attribute__((vector_size(16)));

static bool is_printable(uint8_t byte)
{
	return byte >= FIRST_PRINTABLE && byte < DELETE;
}

/* Copies 16 bytes, with dots for those that are not printable. */
static void copy_dots(char *to, const uint8_t *from)
{
	vector bytes, printable;

	memcpy(&bytes, from, sizeof(bytes));
	printable = (vector)(bytes >= FIRST_PRINTABLE) & (vector)(bytes < DELETE);
	bytes = (bytes & printable) | ('.' & ~printable);
	memcpy(to, &bytes, sizeof(bytes));
}

static void append_dots(struct buf *out, const uint8_t *data, size_t len)
{
	size_t at = 0;
	char *to;

	if (!buf_reserve(out, len))
		return;
	to = out->data + out->len;
	for (; len - at >= sizeof(vector); at += sizeof(vector))
		copy_dots(to + at, data + at);
	for (; at < len; at++)
		to[at] = is_printable(data[at]) ? (char)data[at] : '.';
	out->len += len;
}

/* An end of line is "\n", "\r" or "\r\n". */
static void append_ascii(struct buf *out, const uint8_t *data, size_t len)
{
	buf_append_char(out, '\n');
	for (size_t i = 0; i < len; i++) {
		if (is_printable(data[i]))
			buf_append_char(out, (char)data[i]);
		else if (data[i] == '\r' || (data[i] == '\n' && (i == 0 || data[i - 1] != '\r')))
			buf_append_char(out, '\n');
	}
}

static void append_base64(struct buf *out, const uint8_t *data, size_t len)
{
	base64_append(out, data, len);
}

static void append_hex_byte(struct buf *out, unsigned int byte)
{
	static const char digits[] = "0123456789abcdef";

	buf_append_char(out, digits[byte >> 4 & 15]);
	buf_append_char(out, digits[byte & 15]);
}

/* "\n\t0x0010: 6162 6364", bytes in their order. */
static void append_row(struct buf *out, const uint8_t *data, size_t offset, size_t n, bool ascii)
{
	size_t groups = (n + GROUP_BYTES - 1) / GROUP_BYTES;
	size_t columns = groups * GROUP_COLUMNS - n % GROUP_BYTES * 2;

	BUF_LITERAL(out, "\n\t0x");
	if (offset >> 16)
		append_hex_byte(out, (unsigned int)(offset >> 16));
	append_hex_byte(out, (unsigned int)(offset >> 8));
	append_hex_byte(out, (unsigned int)offset);
	buf_append_char(out, ':');
	for (size_t i = 0; i < n; i++) {
		if (i % GROUP_BYTES == 0)
			buf_append_char(out, ' ');
		append_hex_byte(out, data[offset + i]);
	}
	if (!ascii)
		return;
	for (; columns < ROW_BYTES / GROUP_BYTES * GROUP_COLUMNS + 2; columns++)
		buf_append_char(out, ' ');
	append_dots(out, data + offset, n);
}

static void append_rows(struct buf *out, const uint8_t *data, size_t len, bool ascii)
{
	for (size_t offset = 0; offset < len; offset += ROW_BYTES) {
		size_t left = len - offset;

		append_row(out, data, offset, left < ROW_BYTES ? left : ROW_BYTES, ascii);
	}
	buf_append_char(out, '\n');
}

static void append_hex(struct buf *out, const uint8_t *data, size_t len)
{
	append_rows(out, data, len, false);
}

static void append_hex_ascii(struct buf *out, const uint8_t *data, size_t len)
{
	append_rows(out, data, len, true);
}

static void (*const forms[])(struct buf *out, const uint8_t *data, size_t len) = {
	[TEXT_BYTES_DOTS] = append_dots,	   [TEXT_BYTES_ASCII] = append_ascii,
	[TEXT_BYTES_BASE64] = append_base64,	   [TEXT_BYTES_HEX] = append_hex,
	[TEXT_BYTES_HEX_ASCII] = append_hex_ascii,
};

void text_append_bytes(struct buf *out, enum text_bytes form, const uint8_t *data, size_t len)
{
	forms[form](out, data, len);
}

void text_append_buffer(struct buf *out, const struct text_style *style, const uint8_t *data,
			size_t len)
{
	static const char dots[] = "...";
	size_t max = style->bytes_max;
	bool cut = style->bytes == TEXT_BYTES_DOTS && max > strlen(dots) && len > max;

	text_append_bytes(out, style->bytes, data, cut ? max - strlen(dots) : len);
	if (cut)
		buf_append_string(out, dots);
}

#define EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

/* Whether eight bytes are printable ASCII. */
static bool is_printable_word(uint64_t word)
{
	/* Sets the top bit of bytes that are 0x80 or more, 0x7f, or below 0x20. */
	uint64_t marked = word | (word + EVERY_BYTE(1)) | (word - EVERY_BYTE(FIRST_PRINTABLE));

	return (marked & EVERY_BYTE(0x80)) == 0;
}

static uint64_t load(const char *text, size_t bytes)
{
	uint64_t word = 0;

	memcpy(&word, text, bytes);
	return word;
}

/*
 * The number of leading bytes that are known to be printable ASCII: usually the whole text. Words
 * at the end overlap the ones before them.
 */
static size_t printable_run(const char *text, size_t len)
{
	size_t n = 0;

	if (len < 4)
		return 0;
	if (len < 8)
		return is_printable_word(load(text, 4) | load(text + len - 4, 4) << 32) ? len : 0;
	for (; len - n >= 8; n += 8)
		if (!is_printable_word(load(text + n, 8)))
			return n;
	return is_printable_word(load(text + len - 8, 8)) ? len : n;
}

/*
 * Masks the non-ASCII character that begins here if it is a control character; returns its bytes.
 */
static size_t mask_character(char *text, size_t len)
{
	uint32_t c = (uint8_t)*text; /* not UTF-8: some terminals interpret single bytes */
	size_t n = utf8_decode(text, len, &c);

	if (n == 0)
		n = 1;
	if (utf8_is_control(c))
		memset(text, '.', n);
	return n;
}

void text_mask_controls(char *text, size_t len)
{
	for (size_t i = printable_run(text, len); i < len;) {
		uint8_t byte = (uint8_t)text[i];

		if (byte > DELETE) {
			i += mask_character(text + i, len - i);
			continue;
		}
		if (!is_printable(byte))
			text[i] = '.';
		i++;
	}
}
