/* SPDX-License-Identifier: MIT */
/* The format protobuf: columns, records of other kinds, events. */
#include "sinsp/format/protobuf.h"

#include <string.h>

#include "event/address.h"
#include "sinsp/format/forms.h"
#include "sinsp/format/json.h"
#include "sinsp/format/schema.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/fields/param_value.h"

/*
 * Columns of protobuf: the bytes before a value are kept; if they begin a message, its length is
 * put in when the value is there.
 */

enum { KEY = 1, VALUE = 2 };

int protobuf_keep_entry(struct formatter *formatter, struct format_column *column, uint32_t field,
			const struct buf *key, struct filter_text *before)
{
	struct buf bytes = {0};
	int r;

	proto_tag(&bytes, field, PROTO_BYTES);
	column->nested = (uint8_t)proto_begin(&bytes);
	proto_tag(&bytes, KEY, PROTO_BYTES);
	proto_text(&bytes, key->data, key->len);
	proto_tag(&bytes, VALUE, PROTO_BYTES);
	r = format_keep_text(formatter, &bytes, before);
	buf_finish(&bytes);
	return r;
}

static bool protobuf_append_column(struct formatter *formatter, const struct format_column *column,
				   const struct state_event *event, struct buf *out)
{
	size_t start = out->len;
	bool left_out;

	buf_append_chunk(out, column->before.data, column->before.len);
	if (column->write(formatter, column, event, out) ||
	    format_column_write_otherwise(formatter, column, event, out,
					  start + column->before.len)) {
		if (column->nested)
			proto_end(out, start + column->nested);
		return true;
	}
	out->len = start;
	left_out = formatter->left_out;
	formatter->left_out = false;
	return left_out || formatter->missing != MISSING_DROPS_THE_LINE;
}

bool protobuf_append_columns(struct formatter *formatter, const struct format_span *span,
			     const struct state_event *event, struct buf *out)
{
	bool skips = format_skips_seldom(formatter, event);

	for (const struct format_column *column = span->begin; column < span->end; column++)
		if (!(column->is_seldom && skips) &&
		    !protobuf_append_column(formatter, column, event, out))
			return false;
	return true;
}

static bool write_number(struct formatter *formatter, const struct format_column *column,
			 const struct state_event *event, struct buf *out)
{
	buf_append_u64(out, event->num);
	return true;
}

int protobuf_id_init(struct formatter *formatter, struct format_column *column, uint32_t field,
		     const char *stream)
{
	struct buf bytes = {0};
	int r;

	proto_tag(&bytes, field, PROTO_BYTES);
	column->nested = (uint8_t)proto_begin(&bytes);
	buf_append_string(&bytes, stream);
	buf_append_char(&bytes, '-');
	r = format_keep_text(formatter, &bytes, &column->before);
	buf_finish(&bytes);
	column->write = write_number;
	return r;
}

void protobuf_append_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

void protobuf_append_number(struct buf *out, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	proto_tag(out, field, PROTO_VARINT);
	proto_varint(out, number);
}

void protobuf_append_fixed(struct buf *out, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	proto_tag(out, field, PROTO_FIXED64);
	proto_fixed64(out, number);
}

/* Messages of proto/event.proto beside plain events. */

enum {
	DROP_CAUSE = 1,
	DROP_COUNT,
	DROP_FROM,
	DROP_TO,
	DROP_FIRST,
	DROP_LAST,
	DROP_TYPES,
	DROP_AFTER
};
enum { END_REASON = 1, END_LAST, END_RECORDS, END_DROPPED };
enum { MATCH_RULE = 1, MATCH_PRIORITY, MATCH_TAGS, MATCH_OUTPUT };
enum { ENTRY_KEY = 1, ENTRY_VALUE };

static const struct proto_shape flat[] = {{0}};
static const struct proto_shape drop_shape[] = {{DROP_TYPES, flat}, {0}};
static const struct proto_shape event_shape[] = {
	{EVENT_NUMBER_DROP, drop_shape},
	{EVENT_NUMBER_MATCH, flat},
	{EVENT_NUMBER_OTHERS, encoder_entry_shape},
	{EVENT_NUMBER_ARGS, encoder_entry_shape},
	{EVENT_NUMBER_INFO, encoder_entry_shape},
	{EVENT_NUMBER_END, flat},
	{0},
};

void protobuf_visit_texts(char *record, size_t len, proto_text_visitor *visit, void *context)
{
	proto_visit_texts(event_shape, record, len, visit, context);
}

int protobuf_id_column_init(struct formatter *formatter, struct format_column *column,
			    const char *stream)
{
	return protobuf_id_init(formatter, column, EVENT_NUMBER_ID, stream);
}

static void protobuf_append_types(const struct format_drop *drop, struct buf *out)
{
	for (size_t i = 0; i < drop->types_count; i++) {
		size_t entry;

		proto_tag(out, DROP_TYPES, PROTO_BYTES);
		entry = proto_begin(out);
		protobuf_append_text(out, ENTRY_KEY, drop->types[i].name);
		protobuf_append_number(out, ENTRY_VALUE, drop->types[i].count);
		proto_end(out, entry);
	}
}

void protobuf_append_drop(const struct format_drop *drop, struct buf *out)
{
	size_t start = out->len, message;

	if (drop->id)
		protobuf_append_text(out, EVENT_NUMBER_ID, drop->id);
	protobuf_append_text(out, schema_number("evt.type"), "drop");
	protobuf_append_fixed(out, schema_number("evt.time"), drop->last_ns);
	proto_tag(out, EVENT_NUMBER_DROP, PROTO_BYTES);
	message = proto_begin(out);
	protobuf_append_text(out, DROP_CAUSE, drop->cause);
	protobuf_append_number(out, DROP_COUNT, drop->count);
	protobuf_append_number(out, DROP_FROM, drop->from);
	protobuf_append_number(out, DROP_TO, drop->to);
	protobuf_append_fixed(out, DROP_FIRST, drop->first_ns);
	protobuf_append_fixed(out, DROP_LAST, drop->last_ns);
	protobuf_append_types(drop, out);
	protobuf_append_number(out, DROP_AFTER, drop->after);
	proto_end(out, message);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

void protobuf_append_end(const struct format_end *end, struct buf *out)
{
	size_t start = out->len, message;

	if (end->id)
		protobuf_append_text(out, EVENT_NUMBER_ID, end->id);
	protobuf_append_text(out, schema_number("evt.type"), "end");
	protobuf_append_fixed(out, schema_number("evt.time"), end->ts_ns);
	proto_tag(out, EVENT_NUMBER_END, PROTO_BYTES);
	message = proto_begin(out);
	protobuf_append_text(out, END_REASON, end->reason);
	protobuf_append_number(out, END_LAST, end->last);
	protobuf_append_number(out, END_RECORDS, end->records);
	protobuf_append_number(out, END_DROPPED, end->dropped);
	proto_end(out, message);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

void protobuf_mark_redelivered(const struct schema *schema, const char *record, size_t len,
			       struct buf *out)
{
	size_t start = out->len, head = proto_length_bytes(record, len);

	protobuf_append_number(out, EVENT_NUMBER_REDELIVERED, true);
	buf_append(out, record + head, len - head);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

void protobuf_append_match_head(const struct format_rule *rule, struct buf *head)
{
	protobuf_append_text(head, MATCH_RULE, rule->name);
	protobuf_append_text(head, MATCH_PRIORITY, rule->priority);
	for (size_t i = 0; i < rule->tags_count; i++)
		protobuf_append_text(head, MATCH_TAGS, rule->tags[i]);
}

void protobuf_append_match(struct match_line *line, const struct state_event *event,
			   struct formatter *fields, struct buf *out)
{
	const struct buf *text = match_line_compose(line, event, out);
	size_t match;

	proto_tag(out, EVENT_NUMBER_MATCH, PROTO_BYTES);
	match = proto_begin(out);
	buf_append(out, line->head.data, line->head.len);
	proto_tag(out, MATCH_OUTPUT, PROTO_BYTES);
	proto_text(out, text->data, text->len);
	proto_end(out, match);
	formatter_append(fields, event, out);
}

/*
 * Protobuf: messages of the type Event of proto/event.proto, each with its length before it. A
 * field is one of the message, by its number; what has none (fields with an argument, transformers)
 * is an entry of the map `others`.
 */

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

static void protobuf_append_hex(struct formatter *formatter, const struct format_column *column,
				const struct field_value *value, struct buf *out)
{
	proto_varint(out, event_value_bits(value->u64, param_type_size(column->type)));
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

static void protobuf_append_address(struct formatter *formatter, const struct format_column *column,
				    const struct field_value *value, struct buf *out)
{
	size_t begin = proto_begin(out);

	address_append_ip(out, value->ip.address, value->ip.len);
	proto_end(out, begin);
}

static void protobuf_append_text_value(struct formatter *formatter,
				       const struct format_column *column,
				       const struct field_value *value, struct buf *out)
{
	proto_text(out, value->bytes.data, value->bytes.len);
}

static void protobuf_append_bytes(struct formatter *formatter, const struct format_column *column,
				  const struct field_value *value, struct buf *out)
{
	proto_bytes(out, value->bytes.data, value->bytes.len);
}

/* Each value has the tag; the first one is there. */
static bool write_repeated(struct formatter *formatter, const struct format_column *column,
			   const struct state_event *event, struct buf *out)
{
	const struct field_value *values;
	int n = format_column_get(formatter, column, event, &values);

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

static bool protobuf_write_time(struct formatter *formatter, const struct format_column *column,
				const struct state_event *event, struct buf *out)
{
	proto_fixed64(out, state_wall_ns(event, event->ev.ts_ns));
	return true;
}

/* Each parameter is an entry with the tag; the first one is there. */
static bool write_arguments(struct formatter *formatter, const struct format_column *column,
			    const struct state_event *event, struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;
	size_t n = 0;

	for (unsigned int i = 0; i < desc->nparams; i++) {
		if (!param_is_listed(&desc->params[i], &event->ev.params[i]))
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
	format_value_writer *append;
} types[JSON_FORMS_COUNT] = {
	[JSON_BOOLEAN] = {PROTO_VARINT, append_varint},
	[JSON_SIGNED] = {PROTO_VARINT, append_zigzag},
	[JSON_UNSIGNED] = {PROTO_VARINT, append_varint},
	[JSON_DOUBLE] = {PROTO_FIXED64, append_double},
	[JSON_HEX] = {PROTO_VARINT, protobuf_append_hex},
	[JSON_DURATION] = {PROTO_VARINT, append_varint},
	[JSON_MOMENT] = {PROTO_FIXED64, append_fixed},
	[JSON_ADDRESS] = {PROTO_BYTES, protobuf_append_address},
	[JSON_TEXT] = {PROTO_BYTES, protobuf_append_text_value},
};

/* Chooses the writer of a field of Event; returns how its value is encoded. */
static enum proto_wire protobuf_choose_writer(struct format_column *column)
{
	const char *form = format_json_form(column->ref->desc);
	enum json_form type = json_form_of(column);

	column->append = column->type == PT_BYTEBUF ? protobuf_append_bytes : types[type].append;
	column->write = column->list ? write_repeated : format_column_write_value;
	if (strcmp(form, "time") == 0) {
		column->write = protobuf_write_time;
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
	int r;

	proto_tag(&tag, number, protobuf_choose_writer(column));
	r = format_keep_text(formatter, &tag, &column->before);
	buf_finish(&tag);
	return r;
}

static int init_other(struct formatter *formatter, struct format_column *column,
		      const struct format_token *token)
{
	const struct field_json *json = column->ref ? column->ref->desc->json : NULL;
	struct buf key = {0};
	int r;

	buf_append(&key, token->name.data, token->name.len);
	form_choose(column, json ? SCHEMA_PARAMS : SCHEMA_SAME);
	r = protobuf_keep_entry(formatter, column, EVENT_NUMBER_OTHERS, &key, &column->before);
	buf_finish(&key);
	return r;
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
			.append = protobuf_append_columns,
			.end = protobuf_end,
			.delimit = proto_delimit,
			.encoder = &encoder_proto,
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
			.append_end = protobuf_append_end,
			.mark_redelivered = protobuf_mark_redelivered,
			.visit_texts = protobuf_visit_texts,
		},
	.for_programs = true,
};
