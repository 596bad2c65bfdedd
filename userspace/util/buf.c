/* SPDX-License-Identifier: MIT */
/* The growing output buffer, and numbers written into it without printf. */
#include "util/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY_MIN = 256, DIGITS_MAX = 24 };

void buf_finish(struct buf *buf)
{
	if (!buf->fixed)
		free(buf->data);
	*buf = (struct buf){0};
}

bool buf_grow(struct buf *buf, size_t more)
{
	size_t capacity = buf->capacity ? buf->capacity : CAPACITY_MIN;
	char *data;

	if (buf->failed || buf->fixed || more > SIZE_MAX / 2 - buf->len)
		goto fail;
	while (capacity - buf->len < more)
		capacity *= 2;
	data = realloc(buf->data, capacity);
	if (!data)
		goto fail;
	buf->data = data;
	buf->capacity = capacity;
	return true;
fail:
	if (!buf->failed)
		buf->capacity_kept = buf->capacity;
	buf->failed = true;
	buf->capacity = buf->len;
	return false;
}

static const char upper_digits[] = "0123456789ABCDEF";
static const char lower_digits[] = "0123456789abcdef";

/* Inlined for each base, so that dividing by it is a multiplication. */
__attribute__((always_inline)) static inline void append_digits(struct buf *buf, uint64_t value,
								unsigned int base,
								unsigned int width,
								const char *alphabet)
{
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	if (width > sizeof(digits))
		width = sizeof(digits);
	do {
		digits[--at] = alphabet[value % base];
		value /= base;
	} while (value);
	while (sizeof(digits) - at < width)
		digits[--at] = '0';
	buf_append(buf, digits + at, sizeof(digits) - at);
}

void buf_append_u64(struct buf *buf, uint64_t value)
{
	append_digits(buf, value, 10, 1, upper_digits);
}

void buf_append_i64(struct buf *buf, int64_t value)
{
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	if (value < 0)
		buf_append_char(buf, '-');
	append_digits(buf, magnitude, 10, 1, upper_digits);
}

void buf_append_hex(struct buf *buf, uint64_t value, unsigned int width)
{
	append_digits(buf, value, 16, width, upper_digits);
}

void buf_append_hex_lower(struct buf *buf, uint64_t value)
{
	append_digits(buf, value, 16, 1, lower_digits);
}

void buf_append_octal(struct buf *buf, uint64_t value)
{
	append_digits(buf, value, 8, 1, upper_digits);
}

void buf_append_padded(struct buf *buf, uint64_t value, unsigned int width)
{
	append_digits(buf, value, 10, width, upper_digits);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !buf_reserve(buf, (size_t)n + 1))
		return;
	va_start(args, format);
	vsnprintf(buf->data + buf->len, (size_t)n + 1, format, args);
	va_end(args);
	buf->len += (size_t)n;
}
