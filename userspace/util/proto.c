/* SPDX-License-Identifier: MIT */
/* Tags, values, and messages within messages: written, and walked to find texts. */
#include "util/proto.h"

#include <stdbool.h>
#include <stdint.h>

#include "util/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Makes room for `n` bytes at `at`. Returns false if out of memory. */
static bool protobuf_make_room(struct buf *out, size_t at, size_t n)
{
	if (!buf_reserve(out, n))
		return false;
	memmove(out->data + at + n, out->data + at, out->len - at);
	out->len += n;
	return true;
}

void proto_end(struct buf *out, size_t begin)
{
	char length[PROTO_VARINT_MAX];
	size_t n;

	if (out->failed)
		return;
	n = proto_write_varint(length, out->len - begin);
	if (n == 1 || protobuf_make_room(out, begin, n - 1))
		memcpy(out->data + begin - 1, length, n);
}

void proto_delimit(struct buf *out, size_t start)
{
	char length[PROTO_VARINT_MAX];
	size_t n;

	if (out->failed)
		return;
	n = proto_write_varint(length, out->len - start);
	if (protobuf_make_room(out, start, n))
		memcpy(out->data + start, length, n);
}

size_t proto_length_bytes(const char *record, size_t len)
{
	size_t n = 0;

	while (n < len && record[n] & 0x80)
		n++;
	return n < len ? n + 1 : len;
}

static size_t count_ascii(const char *text, size_t len)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t word;
	size_t n = 0;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, text + n, sizeof(word));
		if (word & high)
			break;
	}
	while (n < len && !((uint8_t)text[n] & 0x80))
		n++;
	return n;
}

/* The bytes at the beginning that are UTF-8. */
static size_t count_valid(const char *text, size_t len)
{
	size_t valid = 0, n;
	uint32_t code_point;

	do {
		valid += count_ascii(text + valid, len - valid);
		n = valid < len ? utf8_decode(text + valid, len - valid, &code_point) : 0;
		valid += n;
	} while (n);
	return valid;
}

bool proto_text(struct buf *out, const char *text, size_t len)
{
	/* An empty text may be at NULL. */
	size_t valid = len ? count_valid(text, len) : 0, begin;

	if (valid == len) {
		proto_bytes(out, text, len);
		return true;
	}
	begin = proto_begin(out);
	while (len) {
		buf_append(out, text, valid);
		text += valid;
		len -= valid;
		if (len == 0)
			break;
		buf_append(out, replacement, sizeof(replacement) - 1);
		text++;
		len--;
		valid = count_valid(text, len);
	}
	proto_end(out, begin);
	return false;
}

/*
 * Walks tags and lengths. What is a message is known and not guessed: a text may look like one, and
 * would be passed over.
 */

/* Deeper ones count as texts: no value that the formats write is. */
enum { DEPTH_MAX = 16 };

struct walk {
	const char *at, *end;
};

static bool read_varint(struct walk *walk, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; shift < 64 && walk->at < walk->end; shift += 7) {
		uint8_t byte = (uint8_t)*walk->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool protobuf_skip(struct walk *walk, uint64_t bytes)
{
	if (bytes > (uint64_t)(walk->end - walk->at))
		return false;
	walk->at += bytes;
	return true;
}

/* Reads a field. `bytes`: what it has of bytes, or NULL. Returns false if it is none. */
static bool protobuf_read_field(struct walk *walk, uint32_t *field, const char **bytes, size_t *len)
{
	uint64_t tag, value;

	*bytes = NULL;
	if (!read_varint(walk, &tag) || tag >> 3 == 0 || tag > UINT32_MAX)
		return false;
	*field = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case PROTO_VARINT:
		return read_varint(walk, &value);
	case PROTO_FIXED64:
		return protobuf_skip(walk, 8);
	case PROTO_FIXED32:
		return protobuf_skip(walk, 4);
	case PROTO_BYTES:
		if (!read_varint(walk, &value))
			return false;
		*bytes = walk->at;
		*len = (size_t)value;
		return protobuf_skip(walk, value);
	default:
		return false;
	}
}

const struct proto_shape proto_name_shape[] = {{0}};

/* The shape of a field that is a message; NULL: it is a text. */
static const struct proto_shape *protobuf_shape_of(const struct proto_shape *shape, uint32_t field)
{
	while (shape->field && shape->field != field)
		shape++;
	return shape->inner;
}

static void visit_at(const struct proto_shape *shape, char *message, size_t len, unsigned int depth,
		     proto_text_visitor *visit, void *context)
{
	struct walk walk = {message, message + len};
	const char *bytes;
	size_t inner_len;
	uint32_t field;

	while (walk.at < walk.end && protobuf_read_field(&walk, &field, &bytes, &inner_len)) {
		const struct proto_shape *inner = bytes ? protobuf_shape_of(shape, field) : NULL;
		char *at = bytes ? message + (bytes - message) : NULL;

		if (inner == proto_name_shape)
			visit(context, at, 0);
		else if (inner && depth < DEPTH_MAX)
			visit_at(inner, at, inner_len, depth + 1, visit, context);
		else if (at)
			visit(context, at, inner_len);
	}
}

void proto_visit_texts(const struct proto_shape *shape, char *messages, size_t len,
		       proto_text_visitor *visit, void *context)
{
	struct walk walk = {messages, messages + len};
	uint64_t message_len;

	while (walk.at < walk.end && read_varint(&walk, &message_len)) {
		char *message = messages + (walk.at - messages);

		if (!protobuf_skip(&walk, message_len))
			return;
		visit(context, message, 0);
		visit_at(shape, message, (size_t)message_len, 0, visit, context);
	}
}
