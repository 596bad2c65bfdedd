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
	buf_fail(buf);
	return false;
}

void buf_fail(struct buf *buf)
{
	if (!buf->failed)
		buf->capacity_kept = buf->capacity;
	buf->failed = true;
	buf->capacity = buf->len;
}

static const char upper_digits[] = "0123456789ABCDEF";
static const char lower_digits[] = "0123456789abcdef";

/* Two decimal digits at once. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

static unsigned int decimal_digits(uint64_t value)
{
	static const uint64_t powers[] = {
		UINT64_C(0),
		UINT64_C(10),
		UINT64_C(100),
		UINT64_C(1000),
		UINT64_C(10000),
		UINT64_C(100000),
		UINT64_C(1000000),
		UINT64_C(10000000),
		UINT64_C(100000000),
		UINT64_C(1000000000),
		UINT64_C(10000000000),
		UINT64_C(100000000000),
		UINT64_C(1000000000000),
		UINT64_C(10000000000000),
		UINT64_C(100000000000000),
		UINT64_C(1000000000000000),
		UINT64_C(10000000000000000),
		UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000),
		UINT64_C(10000000000000000000),
	};
	/* The number of bits times log10(2) is the count, or one less. */
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	unsigned int least = bits * 1233 >> 12;

	return least + (value >= powers[least]);
}

enum { BLOCK_DIGITS = 8, BLOCK_END = 100000000 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is the lowest byte");

/*
 * The eight digits of a number below BLOCK_END, each in a byte, the first one lowest. They are
 * divided side by side: two numbers of four digits, four of two, eight of one. The factors are
 * 1/100 and 1/10, rounded up; the masks remove what remains of the number above.
 */
static inline uint64_t block_digits(uint32_t value)
{
	uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t hundreds = (fours * 10486) >> 20 & UINT64_C(0x7f0000007f);
	uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = (twos * 103) >> 10 & UINT64_C(0x000f000f000f000f);

	return tens | (twos - 10 * tens) << 8;
}

static void put_block(char *to, uint64_t digits)
{
	digits |= UINT64_C(0x0101010101010101) * '0';
	memcpy(to, &digits, sizeof(digits));
}

static void put_decimal(char *end, uint64_t value)
{
	for (; value >= BLOCK_END; value /= BLOCK_END) {
		end -= BLOCK_DIGITS;
		put_block(end, block_digits((uint32_t)(value % BLOCK_END)));
	}
	for (; value >= 100; value /= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
	}
	if (value >= 10)
		memcpy(end - 2, pairs + value * 2, 2);
	else
		end[-1] = (char)('0' + value);
}

void buf_write_decimal(char *text, unsigned int digits, uint64_t value)
{
	for (; digits >= BLOCK_DIGITS; value /= BLOCK_END) {
		digits -= BLOCK_DIGITS;
		put_block(text + digits, block_digits((uint32_t)(value % BLOCK_END)));
	}
	for (; digits > 1; value /= 100) {
		digits -= 2;
		memcpy(text + digits, pairs + value % 100 * 2, 2);
	}
	if (digits)
		text[0] = (char)('0' + value % 10);
}

static void append_decimal(struct buf *buf, uint64_t value, unsigned int width)
{
	unsigned int digits = decimal_digits(value);
	unsigned int zeros = width > digits ? width - digits : 0;

	if (!buf_reserve(buf, zeros + digits))
		return;
	if (zeros)
		memset(buf->data + buf->len, '0', zeros);
	buf->len += zeros + digits;
	put_decimal(buf->data + buf->len, value);
}

/* Digits of `bits` bits each. */
static void append_bits(struct buf *buf, uint64_t value, unsigned int bits, unsigned int width,
			const char *alphabet)
{
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	if (width > sizeof(digits))
		width = sizeof(digits);
	do {
		digits[--at] = alphabet[value & ((1u << bits) - 1)];
		value >>= bits;
	} while (value);
	while (sizeof(digits) - at < width)
		digits[--at] = '0';
	buf_append(buf, digits + at, sizeof(digits) - at);
}

void buf_append_digits(struct buf *buf, uint64_t value)
{
	unsigned int count = decimal_digits(value);
	uint64_t digits;

	if (value >= BLOCK_END || buf->capacity - buf->len < BLOCK_DIGITS) {
		append_decimal(buf, value, 0);
		return;
	}
	/*
	 * All eight are stored, at the place of the first that is not a leading zero. What is
	 * appended next waits for their number alone, which is known before they are.
	 */
	digits = block_digits((uint32_t)value) >> 8 * (BLOCK_DIGITS - count);
	put_block(buf->data + buf->len, digits);
	buf->len += count;
}

void buf_append_hex(struct buf *buf, uint64_t value, unsigned int width)
{
	append_bits(buf, value, 4, width, upper_digits);
}

void buf_append_hex_lower(struct buf *buf, uint64_t value)
{
	append_bits(buf, value, 4, 1, lower_digits);
}

void buf_append_octal(struct buf *buf, uint64_t value)
{
	append_bits(buf, value, 3, 1, upper_digits);
}

void buf_append_padded(struct buf *buf, uint64_t value, unsigned int width)
{
	append_decimal(buf, value, width);
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
