/* SPDX-License-Identifier: MIT */
/*
 * Values as the JSON form of OpenTelemetry's AnyValue: {"stringValue":"a"}. 64-bit numbers are
 * strings of digits, bytes are base64.
 */
#include "sinsp/fields/encoder.h"

#include "util/json.h"

static void encode_otlp_json_append_nothing(struct buf *out)
{
	BUF_LITERAL(out, "{}");
}

static void encode_otlp_json_append_boolean(struct buf *out, bool value)
{
	if (value)
		BUF_LITERAL(out, "{\"boolValue\":true}");
	else
		BUF_LITERAL(out, "{\"boolValue\":false}");
}

static void encode_otlp_json_append_integer(struct buf *out, int64_t value)
{
	BUF_LITERAL(out, "{\"intValue\":\"");
	buf_append_i64(out, value);
	BUF_LITERAL(out, "\"}");
}

/* Beyond int64 a number is rounded, and is a number all the same. */
static void encode_otlp_json_append_natural(struct buf *out, uint64_t value)
{
	if (value <= INT64_MAX) {
		encode_otlp_json_append_integer(out, (int64_t)value);
		return;
	}
	BUF_LITERAL(out, "{\"doubleValue\":");
	json_append_natural(out, value);
	buf_append_char(out, '}');
}

static void encode_otlp_json_append_real(struct buf *out, double value)
{
	BUF_LITERAL(out, "{\"doubleValue\":");
	buf_printf(out, "%.15g", value);
	buf_append_char(out, '}');
}

static void encode_otlp_json_append_text(struct buf *out, const char *text, size_t len)
{
	BUF_LITERAL(out, "{\"stringValue\":");
	json_append_string(out, text, len);
	buf_append_char(out, '}');
}

static void encode_otlp_json_append_data(struct buf *out, const void *bytes, size_t len)
{
	BUF_LITERAL(out, "{\"bytesValue\":");
	json_append_base64(out, bytes, len);
	buf_append_char(out, '}');
}

static size_t encode_otlp_json_begin_plain(struct buf *out)
{
	BUF_LITERAL(out, "{\"stringValue\":\"");
	return out->len;
}

static void encode_otlp_json_end_plain(struct buf *out, size_t plain)
{
	BUF_LITERAL(out, "\"}");
}

/* The bracket at the begin is put in at the end, in place of the first comma. */
static size_t encode_otlp_json_begin_list(struct buf *out)
{
	BUF_LITERAL(out, "{\"arrayValue\":{\"values\":");
	return out->len;
}

static void encode_otlp_json_begin_item(struct buf *out)
{
	buf_append_char(out, ',');
}

static void encode_otlp_json_end_list(struct buf *out, size_t list)
{
	if (out->len > list)
		out->data[list] = '[';
	else
		buf_append_char(out, '[');
	BUF_LITERAL(out, "]}}");
}

static size_t encode_otlp_json_begin_map(struct buf *out)
{
	BUF_LITERAL(out, "{\"kvlistValue\":{\"values\":");
	return out->len;
}

static void encode_otlp_json_append_key(struct buf *out, const char *name, size_t len)
{
	BUF_LITERAL(out, "{\"key\":");
	json_append_string(out, name, len);
	BUF_LITERAL(out, ",\"value\":");
}

static void encode_otlp_json_end_entry(struct buf *out, size_t entry)
{
	buf_append_char(out, '}');
}

#define ENCODER encoder_otlp_json
#include "sinsp/fields/param_write.h"

const struct encoder encoder_otlp_json = {
	.nothing = encode_otlp_json_append_nothing,
	.boolean = encode_otlp_json_append_boolean,
	.integer = encode_otlp_json_append_integer,
	.natural = encode_otlp_json_append_natural,
	.duration = encode_otlp_json_append_natural,
	.real = encode_otlp_json_append_real,
	.text = encode_otlp_json_append_text,
	.word = encode_otlp_json_append_text,
	.data = encode_otlp_json_append_data,
	.plain_begin = encode_otlp_json_begin_plain,
	.plain_end = encode_otlp_json_end_plain,
	.list_begin = encode_otlp_json_begin_list,
	.item = encode_otlp_json_begin_item,
	.list_end = encode_otlp_json_end_list,
	.map_begin = encode_otlp_json_begin_map,
	.key = encode_otlp_json_append_key,
	.entry_end = encode_otlp_json_end_entry,
	.map_end = encode_otlp_json_end_list,
	.params = param_writers,
	.all_params = param_write_all,
};
