/* SPDX-License-Identifier: MIT */
/*
 * Protobuf: messages of the type Event of proto/event.proto, each with its length before it. A
 * field is one of the message, by its number; what has none (fields with an argument, transformers)
 * is an entry of the map `others`.
 */
#include <string.h>

#include "event/address.h"
#include "sinsp/format/forms.h"
#include "sinsp/format/json_form.h"
#include "sinsp/format/proto_column.h"
#include "sinsp/format/protobuf_records.h"
#include "sinsp/format/numbers.h"
#include "sinsp/values/encoder.h"
#include "sinsp/values/param_value.h"

static void append_varint(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	proto_varint(out, value->u64);
}

static void append_zigzag(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	proto_zigzag(out, value->i64);
}

static void append_hex(struct formatter *formatter, const struct format_column *column,
		       const struct field_value *value, struct buf *out)
{
	proto_varint(out, value_bits(value->u64, param_type_size(column->type)));
}

static void append_double(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	proto_double(out, value->f64);
}

static void append_fixed(struct formatter *formatter, const struct format_column *column,
			 const struct field_value *value, struct buf *out)
{
	proto_fixed64(out, value->u64);
}

static void append_address(struct formatter *formatter, const struct format_column *column,
			   const struct field_value *value, struct buf *out)
{
	size_t begin = proto_begin(out);

	text_append_ip(out, value->ip.address, value->ip.len);
	proto_end(out, begin);
}

static void append_text(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	proto_text(out, value->bytes.data, value->bytes.len);
}

static void append_bytes(struct formatter *formatter, const struct format_column *column,
			 const struct field_value *value, struct buf *out)
{
	proto_bytes(out, value->bytes.data, value->bytes.len);
}

static bool write_value(struct formatter *formatter, const struct format_column *column,
			const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *value;

	if (column_get(formatter, column, event, &value) < 1)
		return false;
	column->append(formatter, column, value, out);
	return true;
}

/* Each value has the tag; the first one is there. */
static bool write_repeated(struct formatter *formatter, const struct format_column *column,
			   const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *values;
	int n = column_get(formatter, column, event, &values);

	formatter->left_out = n == 0; /* an empty list has no bytes */
	if (n < 1)
		return false;
	for (int i = 0; i < n; i++) {
		if (i)
			buf_append(out, column->before.data, column->before.len);
		column->append(formatter, column, &values[i], out);
	}
	return true;
}

static bool write_time(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	proto_fixed64(out, sinsp_wall_ns(event, event->ev.ts_ns));
	return true;
}

/* Each parameter is an entry with the tag; the first one is there. */
static bool write_arguments(struct formatter *formatter, const struct format_column *column,
			    const struct sinsp_event *event, struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;
	size_t n = 0;

	for (unsigned int i = 0; i < desc->nparams; i++) {
		if (!param_value_is_listed(event, i))
			continue;
		if (n++)
			buf_append(out, column->before.data, column->before.len);
		param_value_append_entry(formatter->values, event, i, &formatter->scratch.utc, out);
	}
	formatter->left_out = n == 0;
	return n;
}

/* The types of the fields of Event, see PROTO_TYPES in proto/update_schema. */
static const struct {
	enum proto_wire wire;
	value_writer *append;
} types[JSON_FORMS_COUNT] = {
	[JSON_BOOLEAN] = {PROTO_VARINT, append_varint},
	[JSON_SIGNED] = {PROTO_VARINT, append_zigzag},
	[JSON_UNSIGNED] = {PROTO_VARINT, append_varint},
	[JSON_REAL] = {PROTO_FIXED64, append_double},
	[JSON_HEX] = {PROTO_VARINT, append_hex},
	[JSON_DURATION] = {PROTO_VARINT, append_varint},
	[JSON_MOMENT] = {PROTO_FIXED64, append_fixed},
	[JSON_ADDRESS] = {PROTO_BYTES, append_address},
	[JSON_TEXT] = {PROTO_BYTES, append_text},
};

/* Chooses the writer of a field of Event; returns how its value is encoded. */
static enum proto_wire choose_writer(struct format_column *column)
{
	const char *form = format_json_form(column->ref->desc);
	enum json_form type = json_form_of(column);

	column->append = column->type == PT_BYTEBUF ? append_bytes : types[type].append;
	column->write = column->list ? write_repeated : write_value;
	if (strcmp(form, "time") == 0) {
		column->write = write_time;
		return PROTO_FIXED64;
	}
	if (strcmp(form, "arguments") == 0) {
		column->write = write_arguments;
		column->needs &= NEEDS_VALUES;
		return PROTO_BYTES;
	}
	return types[type].wire;
}

static int init_field(struct formatter *formatter, struct format_column *column, uint32_t number)
{
	struct buf tag = {0};
	int rc;

	proto_tag(&tag, number, choose_writer(column));
	rc = format_keep_text(formatter, &tag, &column->before);
	buf_finish(&tag);
	return rc;
}

static int init_other(struct formatter *formatter, struct format_column *column,
		      const struct format_token *token)
{
	const struct field_json *json = column->ref ? column->ref->desc->json : NULL;
	struct buf key = {0};
	int rc;

	buf_append(&key, token->name.data, token->name.len);
	form_choose(column, json ? SCHEMA_PARAMS : SCHEMA_SAME);
	rc = proto_keep_entry(formatter, column, EVENT_NUMBER_OTHERS, &key, &column->before);
	buf_finish(&key);
	return rc;
}

static int protobuf_column_init(struct formatter *formatter, struct format_column *column,
				const struct format_token *token)
{
	bool is_field = column->ref && !column->ref->has_arg;
	uint32_t number = is_field ? schema_number(column->ref->desc->name) : 0;

	return number ? init_field(formatter, column, number)
		      : init_other(formatter, column, token);
}

static void protobuf_end(struct formatter *formatter, struct buf *out, size_t start)
{
}

const struct output_format format_protobuf = {
	.name = "protobuf",
	.events =
		{
			.default_fields = format_object_fields,
			.container_fields = format_object_container_fields,
			.column_init = protobuf_column_init,
			.append = proto_append_columns,
			.end = protobuf_end,
			.delimit = proto_delimit,
			.encoder = &proto_encoder,
			.keyed = true,
		},
	.matches =
		{
			.append_head = protobuf_append_match_head,
			.append = protobuf_append_match,
			.with_fields = true,
		},
	.records =
		{
			.id_column_init = protobuf_id_column_init,
			.append_drop = protobuf_append_drop,
			.mark_redelivered = protobuf_mark_redelivered,
			.visit_texts = protobuf_visit_texts,
		},
	.for_programs = true,
};
