/* SPDX-License-Identifier: MIT */
/* Values as plain JSON. Numbers are not rounded by collectors, so that all of them are numbers. */
#include "sinsp/values/encoder.h"

#include "util/json.h"

static void encode_json_append_nothing(struct buf *out)
{
	BUF_LITERAL(out, "null");
}

static void encode_json_append_boolean(struct buf *out, bool value)
{
	buf_append_string(out, value ? "true" : "false");
}

static void encode_json_append_real(struct buf *out, double value)
{
	buf_printf(out, "%.15g", value);
}

static void encode_json_append_text(struct buf *out, const char *text, size_t len)
{
	json_append_string(out, text, len);
}

static void encode_json_append_data(struct buf *out, const void *bytes, size_t len)
{
	json_append_string(out, bytes, len);
}

static size_t encode_json_begin_list(struct buf *out)
{
	buf_append_char(out, '[');
	return out->len;
}

static void encode_json_begin_item(struct buf *out, size_t list)
{
	if (out->len > list)
		buf_append_char(out, ',');
}

static void encode_json_end_list(struct buf *out, size_t list)
{
	buf_append_char(out, ']');
}

static size_t encode_json_begin_map(struct buf *out)
{
	buf_append_char(out, '{');
	return out->len;
}

static void encode_json_append_key(struct buf *out, const char *name, size_t len)
{
	json_append_string(out, name, len);
	buf_append_char(out, ':');
}

static void encode_json_end_entry(struct buf *out, size_t entry)
{
}

static void end_map(struct buf *out, size_t map)
{
	buf_append_char(out, '}');
}

const struct value_encoder json_encoder = {
	.nothing = encode_json_append_nothing,
	.boolean = encode_json_append_boolean,
	.integer = buf_append_i64,
	.natural = buf_append_u64,
	.real = encode_json_append_real,
	.text = encode_json_append_text,
	.data = encode_json_append_data,
	.list_begin = encode_json_begin_list,
	.item = encode_json_begin_item,
	.list_end = encode_json_end_list,
	.map_begin = encode_json_begin_map,
	.key = encode_json_append_key,
	.entry_end = encode_json_end_entry,
	.map_end = end_map,
};
