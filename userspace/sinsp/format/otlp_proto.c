/* SPDX-License-Identifier: MIT */
/* LogRecords in protobuf: opentelemetry/proto/logs/v1/logs.proto. */
#include "sinsp/format/otlp.h"
#include "sinsp/format/protobuf.h"
#include "sinsp/format/schema.h"
#include "sinsp/fields/encoder.h"
#include "util/proto.h"

enum {
	RECORD_TIME = 1,
	RECORD_SEVERITY_NUMBER = 2,
	RECORD_SEVERITY_TEXT = 3,
	RECORD_BODY = 5,
	RECORD_ATTRIBUTES = 6,
	RECORD_EVENT_NAME = 12,
};
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };

static const struct proto_shape record_shape[] = {
	{RECORD_BODY, encoder_value_shape},
	{RECORD_ATTRIBUTES, encoder_entry_shape},
	{0},
};

static size_t otlp_proto_begin_attribute(struct buf *out, const char *key)
{
	size_t begin;

	proto_tag(out, RECORD_ATTRIBUTES, PROTO_BYTES);
	begin = proto_begin(out);
	protobuf_append_text(out, ATTRIBUTE_KEY, key);
	proto_tag(out, ATTRIBUTE_VALUE, PROTO_BYTES);
	return begin;
}

static const struct otlp_attributes attributes = {
	.encoder = &encoder_proto,
	.begin = otlp_proto_begin_attribute,
	.end = proto_end,
};

static void otlp_proto_append_severity(struct otlp_severity severity, struct buf *out)
{
	protobuf_append_number(out, RECORD_SEVERITY_NUMBER, severity.number);
	protobuf_append_text(out, RECORD_SEVERITY_TEXT, severity.text);
}

static void otlp_proto_append_body(const struct buf *text, struct buf *out)
{
	proto_tag(out, RECORD_BODY, PROTO_BYTES);
	encoder_proto.text(out, text->data, text->len);
}

static bool otlp_proto_write_head(struct formatter *formatter, const struct format_column *column,
				  const struct state_event *event, struct buf *out)
{
	const struct buf *name;

	protobuf_append_fixed(out, RECORD_TIME, state_wall_ns(event, event->ev.ts_ns));
	name = otlp_event_name(formatter, event, out);
	proto_tag(out, RECORD_EVENT_NAME, PROTO_BYTES);
	proto_text(out, name->data, name->len);
	if (formatter->in_match)
		return true;
	otlp_proto_append_severity(otlp_severity_event, out);
	otlp_proto_append_body(otlp_body(formatter, event, out), out);
	return true;
}

static int otlp_proto_head_init(struct formatter *formatter, struct format_column *column)
{
	column->write = otlp_proto_write_head;
	return otlp_init(formatter, column);
}

static int otlp_proto_column_init(struct formatter *formatter, struct format_column *column,
				  const struct format_token *token)
{
	struct buf key = {0}, elsewhere = {0};
	int r = FORMAT_COLUMN_UNNEEDED;

	if (otlp_choose(formatter, column, token, &key, &elsewhere)) {
		r = protobuf_keep_entry(formatter, column, RECORD_ATTRIBUTES, &elsewhere,
					&column->elsewhere);
		if (r == 0)
			r = protobuf_keep_entry(formatter, column, RECORD_ATTRIBUTES, &key,
						&column->before);
	}
	buf_finish(&key);
	buf_finish(&elsewhere);
	return r;
}

static int otlp_proto_id_column_init(struct formatter *formatter, struct format_column *column,
				     const char *stream)
{
	struct buf key = {0};
	int r;

	schema_append_word(formatter->schema, "evt.id", &key);
	r = protobuf_keep_entry(formatter, column, RECORD_ATTRIBUTES, &key, &column->before);
	buf_finish(&key);
	return r ? r : otlp_keep_stream(formatter, column, stream);
}

static void otlp_proto_end(struct formatter *formatter, struct buf *out, size_t start)
{
}

static void otlp_proto_append_match_head(const struct format_rule *rule, struct buf *head)
{
	otlp_proto_append_severity(otlp_severity_of(rule->priority), head);
	otlp_append_rule(&attributes, rule, head);
}

static void otlp_proto_append_match(struct match_line *line, const struct state_event *event,
				    struct formatter *fields, struct buf *out)
{
	fields->in_match = true;
	formatter_append(fields, event, out);
	fields->in_match = false;
	buf_append(out, line->head.data, line->head.len);
	otlp_proto_append_body(match_line_compose(line, event, out), out);
}

static void otlp_proto_append_drop(const struct format_drop *drop, struct buf *out)
{
	const struct buf cause = {.data = (char *)drop->cause, .len = strlen(drop->cause)};
	size_t start = out->len;

	protobuf_append_fixed(out, RECORD_TIME, drop->last_ns);
	otlp_proto_append_severity(otlp_severity_drop, out);
	protobuf_append_text(out, RECORD_EVENT_NAME, "lanner.drop");
	otlp_proto_append_body(&cause, out);
	otlp_append_drop(&attributes, drop, out);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

static void otlp_proto_append_end(const struct format_end *end, struct buf *out)
{
	const struct buf reason = {.data = (char *)end->reason, .len = strlen(end->reason)};
	size_t start = out->len;

	protobuf_append_fixed(out, RECORD_TIME, end->ts_ns);
	otlp_proto_append_severity(otlp_severity_event, out);
	protobuf_append_text(out, RECORD_EVENT_NAME, "lanner.end");
	otlp_proto_append_body(&reason, out);
	otlp_append_end(&attributes, end, out);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

static void otlp_proto_mark_redelivered(const struct schema *schema, const char *record, size_t len,
					struct buf *out)
{
	size_t start = out->len, head = proto_length_bytes(record, len);

	buf_append(out, record + head, len - head);
	otlp_append_mark(&attributes, out);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

static void visit_texts(char *record, size_t len, proto_text_visitor *visit, void *context)
{
	proto_visit_texts(record_shape, record, len, visit, context);
}

const struct output_format format_otlp_proto = {
	.name = "otlp-proto",
	.events =
		{
			.default_fields = format_object_fields,
			.container_fields = format_object_container_fields,
			.head_init = otlp_proto_head_init,
			.column_init = otlp_proto_column_init,
			.append = protobuf_append_columns,
			.end = otlp_proto_end,
			.delimit = proto_delimit,
			.schema = &schema_otel,
			.encoder = &encoder_proto,
			.keyed = true,
		},
	.matches =
		{
			.append_head = otlp_proto_append_match_head,
			.append = otlp_proto_append_match,
			.with_fields = true,
		},
	.records =
		{
			.id_column_init = otlp_proto_id_column_init,
			.append_drop = otlp_proto_append_drop,
			.append_end = otlp_proto_append_end,
			.mark_redelivered = otlp_proto_mark_redelivered,
			.visit_texts = visit_texts,
		},
	.for_programs = true,
};
