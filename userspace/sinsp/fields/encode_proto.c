/* SPDX-License-Identifier: MIT */
/*
 * Values as messages of protobuf, each with its length: AnyValue of OpenTelemetry, whose wire form
 * proto/event.proto calls Value.
 */
#include "sinsp/fields/encoder.h"

#include "util/proto.h"

/* The fields of AnyValue, of ArrayValue and KeyValueList (both: values), and of KeyValue. */
enum { ANY_STRING = 1, ANY_BOOL, ANY_INT, ANY_DOUBLE, ANY_ARRAY, ANY_MAP, ANY_BYTES };
enum { VALUES = 1, KEY = 1, VALUE = 2 };

static const struct proto_shape list_shape[] = {{VALUES, encoder_value_shape}, {0}};
static const struct proto_shape map_shape[] = {{VALUES, encoder_entry_shape}, {0}};
const struct proto_shape encoder_value_shape[] = {
	{ANY_ARRAY, list_shape},
	{ANY_MAP, map_shape},
	{0},
};
const struct proto_shape encoder_entry_shape[] = {
	{KEY, proto_name_shape},
	{VALUE, encoder_value_shape},
	{0},
};

/* A length and a tag of a byte each. */
enum { HEAD_BYTES = 2 };

static void encode_proto_append_nothing(struct buf *out)
{
	proto_varint(out, 0);
}

static void encode_proto_append_boolean(struct buf *out, bool value)
{
	proto_varint(out, HEAD_BYTES);
	proto_tag(out, ANY_BOOL, PROTO_VARINT);
	proto_varint(out, value);
}

static void encode_proto_append_integer(struct buf *out, int64_t value)
{
	size_t begin = proto_begin(out);

	proto_tag(out, ANY_INT, PROTO_VARINT);
	proto_varint(out, (uint64_t)value);
	proto_end(out, begin);
}

static void encode_proto_append_text(struct buf *out, const char *text, size_t len)
{
	size_t begin = proto_begin(out);

	proto_tag(out, ANY_STRING, PROTO_BYTES);
	proto_text(out, text, len);
	proto_end(out, begin);
}

/* The bytes of a text that is UTF-8. */
static void encode_proto_append_word(struct buf *out, const char *word, size_t len)
{
	size_t begin = proto_begin(out);

	proto_tag(out, ANY_STRING, PROTO_BYTES);
	proto_bytes(out, word, len);
	proto_end(out, begin);
}

static void encode_proto_append_real(struct buf *out, double value)
{
	proto_varint(out, 1 + sizeof(value));
	proto_tag(out, ANY_DOUBLE, PROTO_FIXED64);
	proto_double(out, value);
}

/* Beyond int64 a number is rounded, and is a number all the same. */
static void encode_proto_append_natural(struct buf *out, uint64_t value)
{
	if (value <= INT64_MAX)
		encode_proto_append_integer(out, (int64_t)value);
	else
		encode_proto_append_real(out, (double)value);
}

static void encode_proto_append_data(struct buf *out, const void *bytes, size_t len)
{
	size_t begin = proto_begin(out);

	proto_tag(out, ANY_BYTES, PROTO_BYTES);
	proto_bytes(out, bytes, len);
	proto_end(out, begin);
}

/* A message in the only field of a value: what begins the inner one also says where the outer
 * began. */
static size_t encode_proto_begin_nested(struct buf *out, uint32_t field)
{
	proto_begin(out);
	proto_tag(out, field, PROTO_BYTES);
	return proto_begin(out);
}

static void encode_proto_end_nested(struct buf *out, size_t inner)
{
	proto_end(out, inner);
	proto_end(out, inner - HEAD_BYTES);
}

static size_t encode_proto_begin_plain(struct buf *out)
{
	return encode_proto_begin_nested(out, ANY_STRING);
}

static size_t encode_proto_begin_list(struct buf *out)
{
	return encode_proto_begin_nested(out, ANY_ARRAY);
}

static void encode_proto_begin_item(struct buf *out)
{
	proto_tag(out, VALUES, PROTO_BYTES);
}

static size_t encode_proto_begin_map(struct buf *out)
{
	return encode_proto_begin_nested(out, ANY_MAP);
}

static void encode_proto_append_key(struct buf *out, const char *name, size_t len)
{
	proto_begin(out);
	proto_tag(out, KEY, PROTO_BYTES);
	proto_text(out, name, len);
	proto_tag(out, VALUE, PROTO_BYTES);
}

/* The key begins with the length of the entry. */
static void encode_proto_end_entry(struct buf *out, size_t entry)
{
	proto_end(out, entry + 1);
}

#define ENCODER encoder_proto
#include "sinsp/fields/param_write.h"

const struct encoder encoder_proto = {
	.nothing = encode_proto_append_nothing,
	.boolean = encode_proto_append_boolean,
	.integer = encode_proto_append_integer,
	.natural = encode_proto_append_natural,
	.duration = encode_proto_append_natural,
	.real = encode_proto_append_real,
	.text = encode_proto_append_text,
	.word = encode_proto_append_word,
	.data = encode_proto_append_data,
	.plain_begin = encode_proto_begin_plain,
	.plain_end = encode_proto_end_nested,
	.list_begin = encode_proto_begin_list,
	.item = encode_proto_begin_item,
	.list_end = encode_proto_end_nested,
	.map_begin = encode_proto_begin_map,
	.key = encode_proto_append_key,
	.entry_end = encode_proto_end_entry,
	.map_end = encode_proto_end_nested,
	.params = param_writers,
	.all_params = param_write_all,
};
