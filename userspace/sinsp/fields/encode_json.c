/* SPDX-License-Identifier: MIT */
/*
 * Values as JSON: plain, whose numbers collectors do not round, so that all of them are numbers;
 * and exact, which every reader keeps, as far as fields are concerned.
 */
#include "sinsp/fields/encoder.h"

#include "sinsp/fields/param_value.h"
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

static void encode_json_append_word(struct buf *out, const char *word, size_t len)
{
	char *to;

	if (!buf_reserve(out, len + 2))
		return;
	to = out->data + out->len;
	to[0] = '"';
	memcpy(to + 1, word, len);
	to[len + 1] = '"';
	out->len += len + 2;
}

static void encode_json_append_data(struct buf *out, const void *bytes, size_t len)
{
	json_append_string(out, bytes, len);
}

static size_t encode_json_begin_plain(struct buf *out)
{
	buf_append_char(out, '"');
	return out->len;
}

static void encode_json_end_plain(struct buf *out, size_t plain)
{
	buf_append_char(out, '"');
}

/* The bracket at the begin is put in at the end, in place of the first comma. */
static size_t encode_json_begin_list(struct buf *out)
{
	return out->len;
}

static void encode_json_begin_item(struct buf *out)
{
	buf_append_char(out, ',');
}

static void encode_json_end_list(struct buf *out, size_t list)
{
	if (out->len > list)
		out->data[list] = '[';
	else
		buf_append_char(out, '[');
	buf_append_char(out, ']');
}

static void encode_json_append_key(struct buf *out, const char *name, size_t len)
{
	json_append_string(out, name, len);
	buf_append_char(out, ':');
}

static void encode_json_end_entry(struct buf *out, size_t entry)
{
}

static inline void encode_json_write_text(struct encoder_param *p, struct buf *out,
					  const char *text, size_t len)
{
	if (p->base64)
		json_append_base64(out, text, len);
	else if (!json_append_string(out, text, len))
		p->replaced = true;
}

static inline void encode_json_write_bytes(struct encoder_param *p, struct buf *out,
					   const uint8_t *bytes, size_t len)
{
	if (p->bytes == TEXT_BYTES_DOTS)
		encode_json_write_text(p, out, (const char *)bytes, len);
	else
		param_values_append_bytes(p->values, bytes, len, out);
}

/* The encoders of JSON differ in numbers of fields alone, and share the writers of parameters. */
#define ENCODER encoder_json
/* A parameter that is a number is one whatever its value is: exact JSON differs in fields. */
#define JSON_NUMBER_integer buf_append_i64
#define JSON_NUMBER_natural json_append_natural
#define JSON_NUMBER_duration json_append_natural
#define WRITE_NUMBER(p, way, out, number) JSON_NUMBER_##way(out, number)
#define WRITE_TEXT encode_json_write_text
#define WRITE_BYTES encode_json_write_bytes
#define WRITE_KEY(out, name) BUF_LITERAL(out, "\"" name "\":")
#include "sinsp/fields/param_write.h"

#define OTHERS                                                                                     \
	.nothing = encode_json_append_nothing, .boolean = encode_json_append_boolean,              \
	.real = encode_json_append_real, .text = encode_json_append_text,                          \
	.word = encode_json_append_word, .data = encode_json_append_data,                          \
	.plain_begin = encode_json_begin_plain, .plain_end = encode_json_end_plain,                \
	.list_begin = encode_json_begin_list, .item = encode_json_begin_item,                      \
	.list_end = encode_json_end_list, .map_begin = encode_json_begin_list,                     \
	.key = encode_json_append_key, .entry_end = encode_json_end_entry,                         \
	.map_end = json_end_object, .base64_key = json_append_base64_key, .params = param_writers, \
	.all_params = param_write_all

const struct encoder encoder_json = {
	OTHERS,
	.integer = buf_append_i64,
	.natural = json_append_natural,
	.duration = json_append_natural,
};

const struct encoder encoder_json_exact = {
	OTHERS,
	.integer = json_append_i64,
	.natural = json_append_u64,
	.duration = json_append_duration,
};
