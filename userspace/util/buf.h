/* SPDX-License-Identifier: MIT */
/*
 * A byte buffer that grows, for output. Memory is reused, so that a warm buffer does not allocate.
 * When memory runs out, the buffer is marked `failed` and drops what follows.
 */
#ifndef UTIL_BUF_H
#define UTIL_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	char *data; /* owned, unless fixed */
	size_t len;
	size_t capacity;
	size_t capacity_kept; /* while failed: the real capacity, for buf_clear() */
	bool failed;
	bool fixed; /* the memory belongs to the caller and does not grow */
};

/* An empty buffer in memory of the caller. What does not fit, and all that follows, is dropped. */
static inline struct buf buf_fixed(void *memory, size_t capacity)
{
	return (struct buf){.data = memory, .capacity = capacity, .fixed = true};
}

/*
 * Frees the memory unless it belongs to the caller. The buffer is empty and usable afterwards. A
 * zeroed struct is an empty buffer.
 */
void buf_finish(struct buf *buf);

/* Reserves `more` bytes after `len`. Returns false if out of memory. */
bool buf_grow(struct buf *buf, size_t more);

/* Marks the buffer as failed: the caller could not produce what it had to append. */
void buf_fail(struct buf *buf);

static inline bool buf_reserve(struct buf *buf, size_t more)
{
	return buf->capacity - buf->len >= more || buf_grow(buf, more);
}

static inline void buf_clear(struct buf *buf)
{
	if (buf->failed)
		buf->capacity = buf->capacity_kept;
	buf->len = 0;
	buf->failed = false;
}

static inline void buf_append(struct buf *buf, const void *bytes, size_t n)
{
	if (n == 0 || !buf_reserve(buf, n))
		return;
	memcpy(buf->data + buf->len, bytes, n);
	buf->len += n;
}

/*
 * As buf_append(), for short texts in memory of at least BUF_CHUNK readable bytes: a copy of
 * constant length is inlined.
 */
enum { BUF_CHUNK = 32 };

static inline void buf_append_chunk(struct buf *buf, const char *bytes, size_t n)
{
	if (n > BUF_CHUNK || buf->capacity - buf->len < BUF_CHUNK) {
		buf_append(buf, bytes, n);
		return;
	}
	memcpy(buf->data + buf->len, bytes, BUF_CHUNK);
	buf->len += n;
}

static inline void buf_append_char(struct buf *buf, char c)
{
	if (!buf_reserve(buf, 1))
		return;
	buf->data[buf->len++] = c;
}

static inline void buf_append_string(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

#define BUF_LITERAL(buf, text) buf_append(buf, text, sizeof(text) - 1)

/* The digits of a number; most numbers have one, for which buf_append_u64() needs no call. */
void buf_append_digits(struct buf *buf, uint64_t value);

static inline void buf_append_u64(struct buf *buf, uint64_t value)
{
	if (value < 10)
		buf_append_char(buf, (char)('0' + value));
	else
		buf_append_digits(buf, value);
}

static inline void buf_append_i64(struct buf *buf, int64_t value)
{
	if (value < 0)
		buf_append_char(buf, '-');
	buf_append_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Digits of base 16 (upper case: at least `width` of them) or of base 8, without prefix. */
void buf_append_hex(struct buf *buf, uint64_t value, unsigned int width);
void buf_append_hex_lower(struct buf *buf, uint64_t value);
void buf_append_octal(struct buf *buf, uint64_t value);

/* Decimal with leading zeros up to `width` digits. */
void buf_append_padded(struct buf *buf, uint64_t value, unsigned int width);

/* Writes the last `digits` decimal digits of a number, without a NUL. */
void buf_write_decimal(char *text, unsigned int digits, uint64_t value);

__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *buf, const char *format, ...);

#endif
