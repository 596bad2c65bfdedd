/* SPDX-License-Identifier: MIT */
/*
 * Writes the binary form of protobuf messages: tags, values, and messages within messages, whose
 * length is put in when they end. Finds the texts in them.
 */
#ifndef UTIL_PROTO_H
#define UTIL_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/buf.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

enum { PROTO_VARINT_MAX = 10 /* bytes */ };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fixed values are copied as they are");

/* Writes up to PROTO_VARINT_MAX bytes; returns how many. */
static inline size_t proto_write_varint(char *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (char)(value | 0x80);
	to[n++] = (char)value;
	return n;
}

static inline void proto_varint(struct buf *out, uint64_t value)
{
	if (buf_reserve(out, PROTO_VARINT_MAX))
		out->len += proto_write_varint(out->data + out->len, value);
}

/* Small numbers of either sign are short: sint64. */
static inline void proto_zigzag(struct buf *out, int64_t value)
{
	proto_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static inline void proto_fixed64(struct buf *out, uint64_t value)
{
	buf_append(out, &value, sizeof(value));
}

static inline void proto_double(struct buf *out, double value)
{
	buf_append(out, &value, sizeof(value));
}

static inline void proto_tag(struct buf *out, uint32_t field, enum proto_wire wire)
{
	proto_varint(out, (uint64_t)field << 3 | wire);
}

/* The length of bytes and the bytes. */
static inline void proto_bytes(struct buf *out, const void *bytes, size_t len)
{
	proto_varint(out, len);
	buf_append(out, bytes, len);
}

/*
 * The length of a text and the text, which must be UTF-8: each byte that is not becomes U+FFFD.
 * Returns false if there were any.
 */
bool proto_text(struct buf *out, const char *text, size_t len);

/*
 * A message within a message, after its tag: begin, write its fields, and end with what begin
 * returned. All in between must be complete.
 */
static inline size_t proto_begin(struct buf *out)
{
	buf_append_char(out, '\0'); /* most lengths have one byte */
	return out->len;
}

void proto_end(struct buf *out, size_t begin);

/* Puts the length of all from `start` on before it. */
void proto_delimit(struct buf *out, size_t start);

/* The bytes of the length that a message of `len` bytes, that included, begins with. */
size_t proto_length_bytes(const char *record, size_t len);

/* Finds the texts in protobuf messages. */

/*
 * The fields of a message that are messages, too, and those that are names and no texts, with
 * proto_name_shape; a row without field ends them.
 */
struct proto_shape {
	uint32_t field;
	const struct proto_shape *inner;
};

extern const struct proto_shape proto_name_shape[];

typedef void proto_text_visitor(void *context, char *text, size_t len);

/*
 * Calls `visit` for each text or bytes of messages that stand one after the other, each after its
 * length, and of the messages in them: what has no row is a text. `visit` may change bytes, but not
 * their number. At the start of each message, and in place of a name, it gets an empty text: what
 * follows is something else. Stops at what is no message.
 */
void proto_visit_texts(const struct proto_shape *shape, char *messages, size_t len,
		       proto_text_visitor *visit, void *context);

#endif
