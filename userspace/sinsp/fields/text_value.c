/* SPDX-License-Identifier: MIT */
/* Values as text, in the forms of the .scap world: bytes, numbers, names of descriptors. */
#include "sinsp/fields/text_value.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "sinsp/state/machine.h"
#include "util/count.h"
#include "util/base64.h"

/* The forms of buffers. */

enum { ROW_BYTES = 16, GROUP_BYTES = 2, GROUP_COLUMNS = 5 };

enum { FIRST_PRINTABLE = 0x20, DELETE = 0x7f };

typedef uint8_t vector __attribute__((vector_size(16)));

static bool text_value_is_printable(uint8_t byte)
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

	if (!len || !buf_reserve(out, len))
		return;
	to = out->data + out->len;
	for (; len - at >= sizeof(vector); at += sizeof(vector))
		copy_dots(to + at, data + at);
	for (; at < len; at++)
		to[at] = text_value_is_printable(data[at]) ? (char)data[at] : '.';
	out->len += len;
}

/* An end of line is "\n", "\r" or "\r\n". */
static void append_ascii(struct buf *out, const uint8_t *data, size_t len)
{
	buf_append_char(out, '\n');
	for (size_t i = 0; i < len; i++) {
		if (text_value_is_printable(data[i]))
			buf_append_char(out, (char)data[i]);
		else if (data[i] == '\r' || (data[i] == '\n' && (i == 0 || data[i - 1] != '\r')))
			buf_append_char(out, '\n');
	}
}

static void text_value_append_base64(struct buf *out, const uint8_t *data, size_t len)
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
static void text_value_append_row(struct buf *out, const uint8_t *data, size_t offset, size_t n,
				  bool ascii)
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

static void text_value_append_rows(struct buf *out, const uint8_t *data, size_t len, bool ascii)
{
	for (size_t offset = 0; offset < len; offset += ROW_BYTES) {
		size_t left = len - offset;

		text_value_append_row(out, data, offset, left < ROW_BYTES ? left : ROW_BYTES,
				      ascii);
	}
	buf_append_char(out, '\n');
}

static void text_value_append_hex(struct buf *out, const uint8_t *data, size_t len)
{
	text_value_append_rows(out, data, len, false);
}

static void append_hex_ascii(struct buf *out, const uint8_t *data, size_t len)
{
	text_value_append_rows(out, data, len, true);
}

static void (*const forms[])(struct buf *out, const uint8_t *data, size_t len) = {
	[TEXT_BYTES_DOTS] = append_dots,
	[TEXT_BYTES_ASCII] = append_ascii,
	[TEXT_BYTES_BASE64] = text_value_append_base64,
	[TEXT_BYTES_HEX] = text_value_append_hex,
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

/* Numbers in the formats that the tables of fields and events name. */

enum { PADDED_DIGITS = 9 };

void text_append_number(struct buf *out, enum param_type type, enum param_format format,
			uint64_t value)
{
	uint64_t bits = event_value_bits(value, param_type_size(type));

	switch (format) {
	case PF_HEX:
		buf_append_hex(out, bits, 1);
		break;
	case PF_OCT:
		buf_append_octal(out, bits);
		break;
	case PF_PADDED_DEC:
		buf_append_padded(out, bits, PADDED_DIGITS);
		break;
	default:
		if (param_type_is_signed(type))
			buf_append_i64(out, (int64_t)value);
		else
			buf_append_u64(out, bits);
	}
}

/* Names of descriptors: those of the table, or rebuilt with service names. */

/*
 * Whether the name was built from its ends. Other names come from a capture file, or are the
 * addresses of sockets without a connection.
 */
static bool has_name_of_its_ends(const struct state_fd *fd)
{
	char name[SOCKET_NAME_MAX];
	size_t len = state_socket_name(fd, name);

	return len == fd->name_len && memcmp(name, fd->name, len) == 0;
}

void text_append_fd_name(struct buf *out, const struct state_fd *fd, const struct text_style *style)
{
	if (style->services && state_socket_is_ip(fd) && has_name_of_its_ends(fd))
		state_socket_append_name(out, fd, style->services);
	else
		buf_append(out, fd->name, fd->name_len);
}

void text_append_duration(struct buf *out, uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	uint64_t one = 1, whole, hundredths;
	size_t unit = 0;

	for (; unit + 1 < COUNT(units) && ns / one >= 1000; unit++)
		one *= 1000;
	whole = ns / one;
	hundredths = ns % one * 100 / one;
	if (hundredths % 10)
		buf_printf(out, "%" PRIu64 ".%02" PRIu64 "%s", whole, hundredths, units[unit]);
	else if (hundredths)
		buf_printf(out, "%" PRIu64 ".%" PRIu64 "%s", whole, hundredths / 10, units[unit]);
	else
		buf_printf(out, "%" PRIu64 "%s", whole, units[unit]);
}
