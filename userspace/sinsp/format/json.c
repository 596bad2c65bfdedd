/* SPDX-License-Identifier: MIT */
/*
 * The format json: events, matches of rules, lists, drop records; with its own keys or those of a
 * schema.
 */
#include "sinsp/format/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/forms.h"
#include "sinsp/format/schema.h"
#include "sinsp/format/text.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/fields/param_text.h"
#include "util/clock.h"
#include "util/json.h"

/*
 * JSON: one object in each line. Keys are the fields as they were given, in their order. evt.time
 * is RFC 3339 in UTC, evt.args an object of parameters, evt.arg.NAME and evt.rawarg.NAME are values
 * of their own type; numbers beyond 2^53 are strings. Keys are quoted in advance, and each column
 * has the writer for its type.
 */

static void append_moment(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	buf_append_char(out, '"');
	buf_append_u64(out, value->u64);
	buf_append_char(out, '"');
}

static void json_append_text(struct formatter *formatter, const struct format_column *column,
			     const struct field_value *value, struct buf *out)
{
	if (!json_append_string(out, value->bytes.data, value->bytes.len))
		formatter->scratch.replaced = true;
}

static void json_append_bytes(struct formatter *formatter, const struct format_column *column,
			      const struct field_value *value, struct buf *out)
{
	param_values_append_bytes(formatter->values, (const uint8_t *)value->bytes.data,
				  value->bytes.len, out);
}

static format_value_writer *json_value_writer(const struct format_column *column)
{
	enum json_form form = json_form_of(column);

	if (form == JSON_MOMENT)
		return append_moment;
	return form == JSON_TEXT && !format_column_has_words(column) ? json_append_text
								     : form_value_writer(column);
}

static bool json_write_list(struct formatter *formatter, const struct format_column *column,
			    const struct state_event *event, struct buf *out)
{
	return format_column_write_list(formatter, column, event, '[', ']', out);
}

/* By the writer in the row of its field. */
static bool json_write_by_row(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, struct buf *out)
{
	formatter->scratch.used = 0;
	return column->json->write(event, column->ref, &formatter->scratch, out);
}

/* Appends the bytes of texts that are not UTF-8. Lists have those of all elements. */
static void format_json_append_base64(struct formatter *formatter,
				      const struct format_column *column,
				      const struct state_event *event, struct buf *out)
{
	const struct field_value *values;
	int n;

	json_append_base64_key(out, column->before.data, column->before.len);
	if (column->json) {
		column->json->write_base64(event, column->ref, &formatter->scratch, out);
		return;
	}
	n = format_column_get(formatter, column, event, &values);
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

static void json_choose_writer(struct format_column *column)
{
	column->append = json_value_writer(column);
	column->write = column->list ? json_write_list : format_column_write_value;
	column->json = column->ref ? column->ref->desc->json : NULL;
	if (!column->json)
		return;
	column->write = json_write_by_row;
	column->needs &= NEEDS_VALUES;
}

static int json_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	struct buf key = {0};
	int r;

	if (formatter->schema)
		return json_schema_column_init(formatter, column, token);
	buf_append_char(&key, ',');
	json_append_string(&key, token->name.data, token->name.len);
	buf_append_char(&key, ':');
	r = format_keep_text(formatter, &key, &column->before);
	buf_finish(&key);
	json_choose_writer(column);
	return r;
}

/* Most columns are written without a call. */
static inline bool write_column(struct formatter *formatter, const struct format_column *column,
				const struct state_event *event, struct buf *out)
{
	if (column->write == format_column_write_value)
		return format_column_write_value(formatter, column, event, out);
	return column->write(formatter, column, event, out);
}

/* Appends the value of a column, or null for a missing one. Returns false to drop the line. */
static bool json_append_column(struct formatter *formatter, const struct format_column *column,
			       const struct state_event *event, struct buf *out)
{
	size_t before = out->len;

	buf_append_chunk(out, column->before.data, column->before.len);
	if (write_column(formatter, column, event, out) ||
	    format_column_write_otherwise(formatter, column, event, out,
					  before + column->before.len)) {
		if (formatter->scratch.replaced && formatter->scratch.base64)
			format_json_append_base64(formatter, column, event, out);
		formatter->scratch.replaced = false;
		return true;
	}
	if (formatter->missing == MISSING_IS_SHOWN && !formatter->left_out)
		BUF_LITERAL(out, "null");
	else
		out->len = before;
	if (!formatter->left_out)
		return formatter->missing != MISSING_DROPS_THE_LINE;
	formatter->left_out = false;
	return true;
}

static bool json_append(struct formatter *formatter, const struct format_span *span,
			const struct state_event *event, struct buf *out)
{
	bool skips = format_skips_seldom(formatter, event);

	for (const struct format_column *column = span->begin; column < span->end; column++)
		if (!(column->is_seldom && skips) &&
		    !json_append_column(formatter, column, event, out))
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
	if (formatter->schema)
		return;
	param_values_set_bytes(formatter->values, form);
	for (size_t i = 0; i < formatter->columns_count; i++) {
		struct format_column *column = &formatter->columns[i];

		if (column->type == PT_BYTEBUF)
			column->append =
				form == TEXT_BYTES_DOTS ? json_append_text : json_append_bytes;
	}
}

/* Appends "key":, in the schema of the rule. */
static void append_match_key(const struct format_rule *rule, const char *word, struct buf *head)
{
	struct buf key = {0};

	schema_append_word(rule->schema, word, &key);
	json_append_string(head, key.data, key.len);
	buf_append_char(head, ':');
	if (key.failed)
		buf_fail(head);
	buf_finish(&key);
}

/* Returns the next tag after `last` in alphabetical order; after NULL the first. NULL: none. */
static const char *next_tag(const struct format_rule *rule, const char *last)
{
	const char *found = NULL;

	for (size_t i = 0; i < rule->tags_count; i++) {
		const char *tag = rule->tags[i];

		if ((!last || strcmp(tag, last) > 0) && (!found || strcmp(tag, found) < 0))
			found = tag;
	}
	return found;
}

static void append_tag(const char *tag, struct buf *head)
{
	if (head->len && head->data[head->len - 1] != '[')
		buf_append_char(head, ',');
	json_append_string(head, tag, strlen(tag));
}

static void append_tags(const struct format_rule *rule, struct buf *head)
{
	buf_append_char(head, '[');
	/* As Falco writes them in alerts: each once. */
	if (rule->schema && rule->schema->fields)
		for (const char *tag = NULL; (tag = next_tag(rule, tag));)
			append_tag(tag, head);
	else
		for (size_t i = 0; i < rule->tags_count; i++)
			append_tag(rule->tags[i], head);
	buf_append_char(head, ']');
}

/* The keys of a rule, up to its output. */
static void json_append_match_head(const struct format_rule *rule, struct buf *head)
{
	buf_append_char(head, '{');
	append_match_key(rule, "rule", head);
	json_append_string(head, rule->name, strlen(rule->name));
	buf_append_char(head, ',');
	append_match_key(rule, "priority", head);
	json_append_string(head, rule->priority, strlen(rule->priority));
	buf_append_char(head, ',');
	append_match_key(rule, "tags", head);
	append_tags(rule, head);
	buf_append_char(head, ',');
	append_match_key(rule, "output", head);
}

static void json_append_match(struct match_line *line, const struct state_event *event,
			      struct formatter *fields, struct buf *out)
{
	const struct buf *text = match_line_compose(line, event, out);
	size_t object;
	bool printed;

	buf_append(out, line->head.data, line->head.len);
	json_append_string(out, text->data, text->len);
	if (line->values) {
		BUF_LITERAL(out, ",\"output_fields\":");
		formatter_append(line->values, event, out);
	}
	object = out->len;
	fields->in_match = true;
	printed = formatter_append(fields, event, out);
	fields->in_match = false;
	/* Merges the two objects, unless the second is empty. */
	if (printed && !out->failed && out->len > object + 2) {
		out->data[object] = ',';
		return;
	}
	if (!out->failed)
		out->len = object;
	buf_append_char(out, '}');
}

const struct output_format format_json = {
	.name = "json",
	.events =
		{
			.default_fields = format_object_fields,
			.container_fields = format_object_container_fields,
			.column_init = json_column_init,
			.append_constant = json_schema_append_constant,
			.append = json_append,
			.end = json_end,
			.style_set = json_style_set,
			.encoder = &encoder_json_exact,
			.schema_encoder = &encoder_json,
			.keyed = true,
		},
	.matches =
		{
			.append_head = json_append_match_head,
			.append = json_append_match,
			.with_fields = true,
		},
	.records =
		{
			.id_column_init = json_id_column_init,
			.append_drop = json_append_drop,
			.append_end = json_append_end,
			.mark_redelivered = json_mark_redelivered,
		},
	.lists = {.objects = true},
	.for_programs = true,
};

/* Records of JSON beside events: evt.id, drop and end records, and the mark evt.redelivered. */

static bool write_id(struct formatter *formatter, const struct format_column *column,
		     const struct state_event *event, struct buf *out)
{
	buf_append_u64(out, event->num);
	buf_append_char(out, '"');
	return true;
}

/* Appends ,"key": in a schema. */
static void json_append_key(struct buf *out, const struct schema *schema, const char *word)
{
	struct buf key = {0};

	schema_append_word(schema, word, &key);
	buf_append_char(out, ',');
	json_append_string(out, key.data, key.len);
	buf_append_char(out, ':');
	if (key.failed)
		buf_fail(out);
	buf_finish(&key);
}

int json_id_column_init(struct formatter *formatter, struct format_column *column,
			const char *stream)
{
	struct buf key = {0};
	int r;

	json_append_key(&key, formatter->schema, "evt.id");
	json_append_string(&key, stream, strlen(stream));
	/* The number goes before the quote. */
	if (!key.failed)
		key.data[key.len - 1] = '-';
	r = format_keep_text(formatter, &key, &column->before);
	buf_finish(&key);
	column->write = write_id;
	return r;
}

/* A record being written. */
struct record {
	const struct schema *schema;
	struct buf *out;
};

static void json_records_append_text(const struct record *record, const char *word,
				     const char *text)
{
	json_append_key(record->out, record->schema, word);
	json_append_string(record->out, text, strlen(text));
}

static void json_append_number(const struct record *record, const char *word, uint64_t number)
{
	json_append_key(record->out, record->schema, word);
	json_append_u64(record->out, number);
}

static void json_append_time(const struct record *record, const char *word, uint64_t ns)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	if (!ns)
		return;
	clock_rfc3339(&utc, ns, text);
	json_append_key(record->out, record->schema, word);
	json_append_string(record->out, text, sizeof(text));
}

/* The object of counts: {"openat":3}. */
static void json_append_types(const struct record *record, const struct format_drop *drop)
{
	const struct record types = {NULL, record->out};
	size_t start;

	json_append_key(record->out, record->schema, "drop.types");
	start = record->out->len;
	for (size_t i = 0; i < drop->types_count; i++)
		json_append_number(&types, drop->types[i].name, drop->types[i].count);
	json_end_object(record->out, start);
}

/* What Falco says of itself is an alert, too; a drop record, and an end record, is one of these. */
struct internal_alert {
	const char *hostname;
	const char *rule, *priority;
	const char *field, *value; /* in output_fields */
	uint64_t ts_ns;
};

static void append_hostname(const struct record *record, const char *hostname)
{
	struct utsname machine;

	if (!hostname)
		hostname = uname(&machine) == 0 ? machine.nodename : "";
	json_records_append_text(record, "hostname", hostname);
}

/* text: the line of text, with its newline. */
static void append_internal_alert(const struct record *record, const struct internal_alert *alert,
				  const struct buf *text)
{
	size_t start;

	append_hostname(record, alert->hostname);
	json_append_key(record->out, record->schema, "output");
	json_append_string(record->out, text->data, text->len ? text->len - 1 : 0);
	json_append_key(record->out, record->schema, "output_fields");
	start = record->out->len;
	json_records_append_text(record, alert->field, alert->value);
	json_end_object(record->out, start);
	json_records_append_text(record, "priority", alert->priority);
	json_records_append_text(record, "rule", alert->rule);
	json_records_append_text(record, "source", "internal");
	json_append_time(record, "time", alert->ts_ns ? alert->ts_ns : clock_ns(CLOCK_REALTIME));
	if (text->failed)
		buf_fail(record->out);
}

/* Falco's rule, and its priority, for what the kernel lost. */
static void append_drop_alert(const struct record *record, const struct format_drop *drop)
{
	const struct internal_alert alert = {
		.hostname = drop->hostname,
		.rule = drop->in_kernel ? "Falco internal: syscall event drop"
					: "Lanner internal: records dropped",
		.priority = drop->in_kernel ? "Debug" : "Warning",
		.field = "drop.cause",
		.value = drop->cause,
		.ts_ns = drop->last_ns,
	};
	struct buf text = {0};

	if (!record->schema || !record->schema->fields)
		return;
	text_append_drop(drop, &text);
	append_internal_alert(record, &alert, &text);
	buf_finish(&text);
}

static void append_end_alert(const struct record *record, const struct format_end *end)
{
	const struct internal_alert alert = {
		.hostname = end->hostname,
		.rule = "Lanner internal: end of records",
		.priority = "Informational",
		.field = "end.reason",
		.value = end->reason,
		.ts_ns = end->ts_ns,
	};
	struct buf text = {0};

	if (!record->schema || !record->schema->fields)
		return;
	text_append_end(end, &text);
	append_internal_alert(record, &alert, &text);
	buf_finish(&text);
}

/* Those of alerts are of events. */
static void append_constants(const struct record *record)
{
	const struct schema_head *head = record->schema ? record->schema->heads : NULL;

	for (; head && head->key && !record->schema->fields; head++)
		if (head->constant)
			json_schema_append_constant(record->out, head->key, head->constant);
}

void json_append_drop(const struct format_drop *drop, struct buf *out)
{
	const struct record record = {drop->schema, out};
	size_t start = out->len;

	if (drop->id)
		json_records_append_text(&record, "evt.id", drop->id);
	json_append_time(&record, "evt.time", drop->last_ns);
	append_constants(&record);
	json_records_append_text(&record, "evt.type", "drop");
	json_records_append_text(&record, "drop.cause", drop->cause);
	if (drop->count)
		json_append_number(&record, "drop.count", drop->count);
	else
		json_append_number(&record, "drop.after", drop->after);
	if (drop->from) {
		json_append_number(&record, "drop.from", drop->from);
		json_append_number(&record, "drop.to", drop->to);
	}
	json_append_time(&record, "drop.first", drop->first_ns);
	json_append_time(&record, "drop.last", drop->last_ns);
	json_append_types(&record, drop);
	append_drop_alert(&record, drop);
	json_end_object(out, start);
	buf_append_char(out, '\n');
	if (out->failed)
		out->len = start;
}

void json_append_end(const struct format_end *end, struct buf *out)
{
	const struct record record = {end->schema, out};
	size_t start = out->len;

	if (end->id)
		json_records_append_text(&record, "evt.id", end->id);
	json_append_time(&record, "evt.time", end->ts_ns);
	append_constants(&record);
	json_records_append_text(&record, "evt.type", "end");
	json_records_append_text(&record, "end.reason", end->reason);
	json_append_number(&record, "end.last", end->last);
	json_append_number(&record, "end.records", end->records);
	if (end->knows_dropped)
		json_append_number(&record, "end.dropped", end->dropped);
	append_end_alert(&record, end);
	json_end_object(out, start);
	buf_append_char(out, '\n');
	if (out->failed)
		out->len = start;
}

void json_mark_redelivered(const struct schema *schema, const char *bytes, size_t len,
			   struct buf *out)
{
	size_t start = out->len;

	json_append_key(out, schema, "evt.redelivered");
	BUF_LITERAL(out, "true");
	if (len > 1 && bytes[1] != '}')
		buf_append_char(out, ',');
	buf_append(out, bytes + 1, len - 1);
	if (out->failed)
		out->len = start;
	else
		out->data[start] = '{';
}

/* JSON in another schema: keys and forms are looked up once, when a column is prepared. */

/* The bytes before a value: a comma, the key, a colon. */
static int json_keep_key(struct formatter *formatter, const struct buf *key,
			 struct filter_text *before)
{
	struct buf text = {0};
	int r;

	buf_append_char(&text, ',');
	json_append_string(&text, key->data, key->len);
	buf_append_char(&text, ':');
	r = format_keep_text(formatter, &text, before);
	buf_finish(&text);
	return r;
}

static int keep_elsewhere(struct formatter *formatter, struct format_column *column)
{
	struct buf key = {0};
	int r;

	schema_append_key(formatter->schema, column->name.data, column->name.len, 0, &key);
	r = json_keep_key(formatter, &key, &column->elsewhere);
	buf_finish(&key);
	return r;
}

static size_t field_length(const struct format_column *column)
{
	return column->ref ? strlen(column->ref->desc->name) : 0;
}

int json_schema_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	const struct schema_head *head = formatter->head;
	enum schema_form form;
	struct buf key = {0};
	int r;

	if (head) {
		form = head->form;
		buf_append_string(&key, head->key);
	} else {
		form = schema_append_key(formatter->schema, token->name.data, token->name.len,
					 field_length(column), &key);
		if (formatter->schema->keeps_names && form == SCHEMA_SAME &&
		    json_form_of(column) == JSON_MOMENT)
			form = SCHEMA_MOMENT;
	}
	column->word = head ? head->constant : NULL;
	form_choose(column, form);
	r = json_keep_key(formatter, &key, &column->before);
	if (r == 0 && form == SCHEMA_FILE)
		r = keep_elsewhere(formatter, column);
	buf_finish(&key);
	return r;
}

void json_schema_append_constant(struct buf *out, const char *key, const char *text)
{
	buf_append_char(out, ',');
	json_append_string(out, key, strlen(key));
	buf_append_char(out, ':');
	json_append_string(out, text, strlen(text));
}
