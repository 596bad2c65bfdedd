/* SPDX-License-Identifier: MIT */
/*
 * JSON: one object in each line. Keys are the fields as they were given, in their order. evt.time
 * is RFC 3339 in UTC, evt.args an object of parameters, evt.arg.NAME and evt.rawarg.NAME are values
 * of their own type; numbers beyond 2^53 are strings. Keys are quoted in advance, and each column
 * has the writer for its type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/values/param_text.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/json.h"
#include "util/json.h"

/* Forms of values, indexes of forms[]. */
enum json_form_id {
	JSON_BOOLEAN,
	JSON_SIGNED,
	JSON_UNSIGNED,
	JSON_REAL,
	JSON_HEX,
	JSON_DURATION,
	JSON_MOMENT,
	JSON_ADDRESS,
	JSON_TEXT,
};

static const char *const default_fields[] = {
	"evt.num",   "evt.time", "evt.type",  "evt.cpu",      "evt.res",      "evt.args",
	"proc.name", "proc.pid", "proc.ppid", "proc.exepath", "proc.cmdline", "thread.tid",
	"user.uid",  "fd.num",	 "fd.name",   NULL,
};

static const char *const container_fields[] = {
	"container.id", "container.name", "container.image", "k8s.ns.name", "k8s.pod.name", NULL,
};

static void append_boolean(struct formatter *formatter, const struct format_column *column,
			   const struct field_value *value, struct buf *out)
{
	if (value->u64)
		BUF_LITERAL(out, "true");
	else
		BUF_LITERAL(out, "false");
}

static void append_signed(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	json_append_i64(out, value->i64);
}

static void append_unsigned(struct formatter *formatter, const struct format_column *column,
			    const struct field_value *value, struct buf *out)
{
	json_append_u64(out, value->u64);
}

static void append_real(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	buf_printf(out, "%.15g", value->f64);
}

static void append_hex(struct formatter *formatter, const struct format_column *column,
		       const struct field_value *value, struct buf *out)
{
	json_append_hex(out, value_bits(value->u64, param_type_size(column->type)));
}

static void append_duration(struct formatter *formatter, const struct format_column *column,
			    const struct field_value *value, struct buf *out)
{
	json_append_duration(out, value->u64);
}

static void append_moment(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	buf_append_char(out, '"');
	buf_append_u64(out, value->u64);
	buf_append_char(out, '"');
}

static void append_address(struct formatter *formatter, const struct format_column *column,
			   const struct field_value *value, struct buf *out)
{
	buf_append_char(out, '"');
	text_append_ip(out, value->ip.address, value->ip.len);
	buf_append_char(out, '"');
}

static void append_text(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	if (!json_append_string(out, value->bytes.data, value->bytes.len))
		formatter->scratch.replaced = true;
}

static void append_bytes(struct formatter *formatter, const struct format_column *column,
			 const struct field_value *value, struct buf *out)
{
	param_json_append_bytes(formatter->scratch.params, (const uint8_t *)value->bytes.data,
				value->bytes.len, out);
}

/* The forms of values; named as the definitions in proto/event.schema.json. */
static const struct json_form {
	const char *name;
	value_writer *append;
} forms[] = {
	[JSON_BOOLEAN] = {"boolean", append_boolean},
	[JSON_SIGNED] = {"signed", append_signed},
	[JSON_UNSIGNED] = {"unsigned", append_unsigned},
	[JSON_REAL] = {"real", append_real},
	[JSON_HEX] = {"hex", append_hex},
	[JSON_DURATION] = {"duration", append_duration},
	[JSON_MOMENT] = {"moment", append_moment},
	[JSON_ADDRESS] = {"address", append_address},
	[JSON_TEXT] = {"text", append_text},
};

static enum json_form_id form_of_type(enum param_type type, enum param_format format)
{
	switch (type) {
	case PT_BOOL:
		return JSON_BOOLEAN;
	case PT_DOUBLE:
		return JSON_REAL;
	case PT_IPADDR:
	case PT_IPNET:
		return JSON_ADDRESS;
	case PT_ABSTIME:
	case PT_RELTIME:
		return JSON_DURATION;
	default:
		if (param_type_size(type) == 0)
			return JSON_TEXT;
		if (format == PF_HEX)
			return JSON_HEX;
		return param_type_is_signed(type) ? JSON_SIGNED : JSON_UNSIGNED;
	}
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

static bool write_list(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *values;
	int n = column_get(formatter, column, event, &values);

	if (n < 0)
		return false;
	buf_append_char(out, '[');
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		column->append(formatter, column, &values[i], out);
	}
	buf_append_char(out, ']');
	return true;
}

/* By the writer in the row of its field. */
static bool write_by_row(struct formatter *formatter, const struct format_column *column,
			 const struct sinsp_event *event, struct buf *out)
{
	formatter->scratch.used = 0;
	return column->json->write(event, column->ref, &formatter->scratch, out);
}

/* Appends the bytes of texts that are not UTF-8. Lists have those of all elements. */
static void append_base64(struct formatter *formatter, const struct format_column *column,
			  const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *values;
	int n;

	json_append_base64_key(out, column->before.data, column->before.len);
	if (column->json) {
		column->json->write_base64(event, column->ref, &formatter->scratch, out);
		return;
	}
	n = column_get(formatter, column, event, &values);
	if (column->list)
		buf_append_char(out, '[');
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		json_append_base64(out, values[i].bytes.data, values[i].bytes.len);
	}
	if (column->list)
		buf_append_char(out, ']');
}

static enum json_form_id form_of_field(const struct field_desc *desc)
{
	return desc->moment ? JSON_MOMENT : form_of_type(desc->type, desc->format);
}

const char *format_json_form(const struct field_desc *desc)
{
	return desc->json ? desc->json->form : forms[form_of_field(desc)].name;
}

static void choose_writer(struct format_column *column)
{
	enum json_form_id form = column->ref ? form_of_field(column->ref->desc)
					     : form_of_type(column->type, column->format);

	column->append = forms[form].append;
	column->write = column->list ? write_list : write_value;
	column->json = column->ref ? column->ref->desc->json : NULL;
	if (!column->json)
		return;
	column->write = write_by_row;
	column->needs = NEEDS_NOTHING;
}

static int json_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	struct buf key = {0};
	char *memory = NULL;

	buf_append_char(&key, ',');
	json_append_string(&key, token->name.data, token->name.len);
	buf_append_char(&key, ':');
	if (!key.failed)
		memory = arena_alloc(&formatter->arena, key.len + BUF_CHUNK);
	if (memory)
		memcpy(memory, key.data, key.len);
	column->before = (struct filter_text){memory, key.len};
	choose_writer(column);
	buf_finish(&key);
	return column->before.data ? 0 : -ENOMEM;
}

/* Appends the value of a column, or null for a missing one. Returns false to drop the line. */
static bool append_column(struct formatter *formatter, const struct format_column *column,
			  const struct sinsp_event *event, struct buf *out)
{
	size_t before = out->len;

	buf_append_chunk(out, column->before.data, column->before.len);
	if (column->write(formatter, column, event, out)) {
		if (formatter->scratch.replaced && formatter->scratch.base64)
			append_base64(formatter, column, event, out);
		formatter->scratch.replaced = false;
		return true;
	}
	if (formatter->missing == MISSING_IS_SHOWN)
		BUF_LITERAL(out, "null");
	else
		out->len = before;
	return formatter->missing != MISSING_DROPS_THE_LINE;
}

static bool json_append(struct formatter *formatter, const struct format_span *span,
			const struct sinsp_event *event, struct buf *out)
{
	for (size_t i = span->begin; i < span->end; i++)
		if (!append_column(formatter, &formatter->columns[i], event, out))
			return false;
	return true;
}

static void json_end(struct formatter *formatter, struct buf *out, size_t start)
{
	json_end_object(out, start);
}

/* Buffers in a chosen form are texts too. Ports stay numbers, for programs. */
static void json_style_set(struct formatter *formatter)
{
	enum text_bytes form = formatter->scratch.style.bytes;

	formatter->scratch.style.services = NULL;
	param_json_set_bytes(formatter->scratch.params, form);
	for (size_t i = 0; i < formatter->columns_count; i++) {
		struct format_column *column = &formatter->columns[i];

		if (column->type == PT_BYTEBUF)
			column->append = form == TEXT_BYTES_DOTS ? append_text : append_bytes;
	}
}

/* The keys of a rule, up to its output. */
static void append_match_head(const struct format_rule *rule, struct buf *head)
{
	BUF_LITERAL(head, "{\"rule\":");
	json_append_string(head, rule->name, strlen(rule->name));
	buf_printf(head, ",\"priority\":\"%s\",\"tags\":[", rule->priority);
	for (size_t i = 0; i < rule->tags_count; i++) {
		if (i)
			buf_append_char(head, ',');
		json_append_string(head, rule->tags[i], strlen(rule->tags[i]));
	}
	BUF_LITERAL(head, "],\"output\":");
}

static void append_match(struct match_line *line, const struct sinsp_event *event,
			 struct formatter *fields, struct buf *out)
{
	size_t object;

	buf_clear(&line->text);
	formatter_append(line->output, event, &line->text);
	buf_append(out, line->head.data, line->head.len);
	json_append_string(out, line->text.data, line->text.len);
	object = out->len;
	/* Merges the two objects, unless the second is empty. */
	if (formatter_append(fields, event, out) && !out->failed && out->len > object + 2) {
		out->data[object] = ',';
		return;
	}
	if (!out->failed)
		out->len = object;
	buf_append_char(out, '}');
}

const struct output_format format_json = {
	.name = "json",
	.events = {
		.default_fields = default_fields,
		.container_fields = container_fields,
		.column_init = json_column_init,
		.append = json_append,
		.end = json_end,
		.style_set = json_style_set,
		.params = true,
		.keyed = true,
	},
	.matches = {
		.append_head = append_match_head,
		.append = append_match,
		.with_fields = true,
	},
	.lists = {.objects = true},
	.for_programs = true,
};
