/* SPDX-License-Identifier: MIT */
/*
 * LogRecords as JSON. The list of attributes is the last member, so that attributes can be added at
 * the end. Each is written with a comma before it; the first comma becomes a blank.
 */
#include "sinsp/format/otlp.h"
#include "sinsp/format/schema.h"
#include "sinsp/fields/encoder.h"
#include "util/json.h"

enum { LIST_END_BYTES = 2 }; /* ]} */

static size_t otlp_json_begin_attribute(struct buf *out, const char *key)
{
	BUF_LITERAL(out, ",{\"key\":");
	json_append_string(out, key, strlen(key));
	BUF_LITERAL(out, ",\"value\":");
	return 0;
}

static void end_attribute(struct buf *out, size_t begin)
{
	buf_append_char(out, '}');
}

static const struct otlp_attributes attributes = {
	.encoder = &encoder_otlp_json,
	.begin = otlp_json_begin_attribute,
	.end = end_attribute,
};

static void otlp_json_append_time(uint64_t ns, struct buf *out)
{
	BUF_LITERAL(out, ",\"timeUnixNano\":\"");
	buf_append_u64(out, ns);
	buf_append_char(out, '"');
}

static void otlp_json_append_severity(struct otlp_severity severity, struct buf *out)
{
	buf_printf(out, ",\"severityNumber\":%u,\"severityText\":\"%s\"", severity.number,
		   severity.text);
}

static void otlp_json_append_name(const char *name, size_t len, struct buf *out)
{
	BUF_LITERAL(out, ",\"eventName\":");
	json_append_string(out, name, len);
}

static void otlp_json_append_body(const char *text, size_t len, struct buf *out)
{
	BUF_LITERAL(out, ",\"body\":");
	encoder_otlp_json.text(out, text, len);
}

/* Returns where the first attribute begins. */
static size_t otlp_json_begin_list(struct buf *out)
{
	BUF_LITERAL(out, ",\"attributes\":[");
	return out->len;
}

static void otlp_json_end_list(struct buf *out, size_t list)
{
	if (out->len > list)
		out->data[list] = ' ';
	BUF_LITERAL(out, "]}");
}

static bool otlp_json_write_head(struct formatter *formatter, const struct format_column *column,
				 const struct state_event *event, struct buf *out)
{
	const struct buf *text;

	otlp_json_append_time(state_wall_ns(event, event->ev.ts_ns), out);
	text = otlp_event_name(formatter, event, out);
	otlp_json_append_name(text->data, text->len, out);
	if (!formatter->in_match) {
		otlp_json_append_severity(otlp_severity_event, out);
		text = otlp_body(formatter, event, out);
		otlp_json_append_body(text->data, text->len, out);
	}
	formatter->attributes_at = otlp_json_begin_list(out);
	return true;
}

static int otlp_json_head_init(struct formatter *formatter, struct format_column *column)
{
	column->write = otlp_json_write_head;
	return otlp_init(formatter, column);
}

/* What stands before a value; the object ends after it. */
static int otlp_json_keep_key(struct formatter *formatter, const struct buf *key,
			      struct filter_text *before)
{
	struct buf text = {0};
	int r;

	BUF_LITERAL(&text, ",{\"key\":");
	json_append_string(&text, key->data, key->len);
	BUF_LITERAL(&text, ",\"value\":");
	r = format_keep_text(formatter, &text, before);
	buf_finish(&text);
	return r;
}

static int otlp_json_column_init(struct formatter *formatter, struct format_column *column,
				 const struct format_token *token)
{
	struct buf key = {0}, elsewhere = {0};
	int r = FORMAT_COLUMN_UNNEEDED;

	if (otlp_choose(formatter, column, token, &key, &elsewhere)) {
		r = otlp_json_keep_key(formatter, &elsewhere, &column->elsewhere);
		if (r == 0)
			r = otlp_json_keep_key(formatter, &key, &column->before);
		column->nested = true;
	}
	buf_finish(&key);
	buf_finish(&elsewhere);
	return r;
}

static int otlp_json_id_column_init(struct formatter *formatter, struct format_column *column,
				    const char *stream)
{
	struct buf key = {0};
	int r;

	schema_append_word(formatter->schema, "evt.id", &key);
	r = otlp_json_keep_key(formatter, &key, &column->before);
	buf_finish(&key);
	column->nested = true;
	return r ? r : otlp_keep_stream(formatter, column, stream);
}

static bool otlp_json_append_column(struct formatter *formatter, const struct format_column *column,
				    const struct state_event *event, struct buf *out)
{
	size_t start = out->len;
	bool left_out;

	buf_append(out, column->before.data, column->before.len);
	if (column->write(formatter, column, event, out) ||
	    format_column_write_otherwise(formatter, column, event, out,
					  start + column->before.len)) {
		if (column->nested)
			buf_append_char(out, '}');
		return true;
	}
	out->len = start;
	left_out = formatter->left_out;
	formatter->left_out = false;
	return left_out || formatter->missing != MISSING_DROPS_THE_LINE;
}

static bool otlp_json_append(struct formatter *formatter, const struct format_span *span,
			     const struct state_event *event, struct buf *out)
{
	for (const struct format_column *column = span->begin; column < span->end; column++)
		if (!otlp_json_append_column(formatter, column, event, out))
			return false;
	return true;
}

static void otlp_json_end(struct formatter *formatter, struct buf *out, size_t start)
{
	if (out->failed)
		return;
	out->data[start] = '{';
	otlp_json_end_list(out, formatter->attributes_at);
}

/* Requests have commas between records. */
static void delimit(struct buf *out, size_t start)
{
}

/* The severity, and after a NUL the attributes. */
static void otlp_json_append_match_head(const struct format_rule *rule, struct buf *head)
{
	otlp_json_append_severity(otlp_severity_of(rule->priority), head);
	buf_append_char(head, '\0');
	otlp_append_rule(&attributes, rule, head);
}

/* The members of the record of an event, without its end. Returns where its attributes begin. */
static size_t append_fields(struct formatter *fields, const struct state_event *event,
			    struct buf *out)
{
	size_t object = out->len;
	bool printed;

	fields->in_match = true;
	printed = formatter_append(fields, event, out);
	fields->in_match = false;
	if (!printed || out->failed)
		return otlp_json_begin_list(out);
	out->data[object] = ',';
	out->len -= LIST_END_BYTES;
	return fields->attributes_at;
}

static void otlp_json_append_match(struct match_line *line, const struct state_event *event,
				   struct formatter *fields, struct buf *out)
{
	size_t start = out->len, severity_len = strlen(line->head.data), list;
	const struct buf *text = match_line_compose(line, event, out);

	buf_append(out, line->head.data, severity_len);
	otlp_json_append_body(text->data, text->len, out);
	list = append_fields(fields, event, out);
	buf_append(out, line->head.data + severity_len + 1, line->head.len - severity_len - 1);
	if (out->failed)
		return;
	otlp_json_end_list(out, list);
	out->data[start] = '{';
}

static void otlp_json_append_drop(const struct format_drop *drop, struct buf *out)
{
	size_t start = out->len, list;

	otlp_json_append_time(drop->last_ns, out);
	otlp_json_append_severity(otlp_severity_drop, out);
	otlp_json_append_name("lanner.drop", strlen("lanner.drop"), out);
	otlp_json_append_body(drop->cause, strlen(drop->cause), out);
	list = otlp_json_begin_list(out);
	otlp_append_drop(&attributes, drop, out);
	if (!out->failed)
		otlp_json_end_list(out, list);
	if (out->failed)
		out->len = start;
	else
		out->data[start] = '{';
}

static void otlp_json_append_end(const struct format_end *end, struct buf *out)
{
	size_t start = out->len, list;

	otlp_json_append_time(end->ts_ns, out);
	otlp_json_append_severity(otlp_severity_event, out);
	otlp_json_append_name("lanner.end", strlen("lanner.end"), out);
	otlp_json_append_body(end->reason, strlen(end->reason), out);
	list = otlp_json_begin_list(out);
	otlp_append_end(&attributes, end, out);
	if (!out->failed)
		otlp_json_end_list(out, list);
	if (out->failed)
		out->len = start;
	else
		out->data[start] = '{';
}

static void otlp_json_mark_redelivered(const struct schema *schema, const char *record, size_t len,
				       struct buf *out)
{
	size_t start = out->len, end_of_list = len - LIST_END_BYTES;

	buf_append(out, record, end_of_list);
	otlp_append_mark(&attributes, out);
	BUF_LITERAL(out, "]}");
	if (out->failed)
		out->len = start;
	else if (record[end_of_list - 1] == '[')
		out->data[start + end_of_list] = ' ';
}

const struct output_format format_otlp_json = {
	.name = "otlp-json",
	.events =
		{
			.default_fields = format_object_fields,
			.container_fields = format_object_container_fields,
			.head_init = otlp_json_head_init,
			.column_init = otlp_json_column_init,
			.append = otlp_json_append,
			.end = otlp_json_end,
			.delimit = delimit,
			.schema = &schema_otel,
			.encoder = &encoder_otlp_json,
			.keyed = true,
		},
	.matches =
		{
			.append_head = otlp_json_append_match_head,
			.append = otlp_json_append_match,
			.with_fields = true,
		},
	.records =
		{
			.id_column_init = otlp_json_id_column_init,
			.append_drop = otlp_json_append_drop,
			.append_end = otlp_json_append_end,
			.mark_redelivered = otlp_json_mark_redelivered,
		},
	.for_programs = true,
};
