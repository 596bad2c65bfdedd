/* SPDX-License-Identifier: MIT */
/* What LogRecords have in protobuf and in JSON: names, severities, bodies, attributes. */
#include "sinsp/format/otlp.h"

#include <errno.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/format/forms.h"
#include "sinsp/fields/encoder.h"
#include "util/count.h"

enum { BODY_BUFFER_MAX = 80 }; /* bytes of a buffer in a body; attributes have all of it */

const struct otlp_severity otlp_severity_event = {"INFO", 9}, otlp_severity_drop = {"WARN", 13};

/* Priorities of rules, and the first number of each range of OpenTelemetry. */
static const struct {
	const char *priority;
	struct otlp_severity severity;
} severities[] = {
	{"Emergency", {"FATAL", 21}},	{"Alert", {"FATAL", 21}},  {"Critical", {"ERROR", 17}},
	{"Error", {"ERROR", 17}},	{"Warning", {"WARN", 13}}, {"Notice", {"INFO", 9}},
	{"Informational", {"INFO", 9}}, {"Debug", {"DEBUG", 5}},
};

struct otlp_severity otlp_severity_of(const char *priority)
{
	for (size_t i = 0; i < COUNT(severities); i++)
		if (strcmp(severities[i].priority, priority) == 0)
			return severities[i].severity;
	return otlp_severity_event;
}

int otlp_init(struct formatter *formatter, struct format_column *head)
{
	const struct text_style style = {.bytes_max = BODY_BUFFER_MAX};
	struct filter_error unused;
	int r;

	r = formatter_create_format(&format_text, "*%evt.type %evt.args", &formatter->body,
				    &unused);
	if (r)
		return r;
	formatter_set_style(formatter->body, &style);
	head->needs = formatter_needs(formatter->body);
	return format_keep_text(formatter, &(const struct buf){0}, &head->before);
}

static const struct buf *composed(const struct formatter *formatter, struct buf *out)
{
	if (formatter->text.failed)
		buf_fail(out);
	return &formatter->text;
}

const struct buf *otlp_body(struct formatter *formatter, const struct state_event *event,
			    struct buf *out)
{
	buf_clear(&formatter->text);
	formatter_append(formatter->body, event, &formatter->text);
	return composed(formatter, out);
}

const struct buf *otlp_event_name(struct formatter *formatter, const struct state_event *event,
				  struct buf *out)
{
	const struct event *ev = &event->ev;
	const char *name = ev->desc->id == EVENT_syscall ? syscall_name(event_syscall_code(ev))
							 : ev->desc->name;

	buf_clear(&formatter->text);
	BUF_LITERAL(&formatter->text, "lanner.");
	buf_append_string(&formatter->text, name ? name : ev->desc->name);
	return composed(formatter, out);
}

bool otlp_choose(struct formatter *formatter, struct format_column *column,
		 const struct format_token *token, struct buf *key, struct buf *elsewhere)
{
	size_t field_len = column->ref ? strlen(column->ref->desc->name) : 0;
	enum schema_form form = schema_append_key(formatter->schema, token->name.data,
						  token->name.len, field_len, key);

	form_choose(column, form);
	if (form == SCHEMA_FILE)
		schema_append_key(formatter->schema, token->name.data, token->name.len, 0,
				  elsewhere);
	return form != SCHEMA_TIME && form != SCHEMA_EVENT_NAME;
}

bool otlp_write_id(struct formatter *formatter, const struct format_column *column,
		   const struct state_event *event, struct buf *out)
{
	buf_clear(&formatter->text);
	buf_append(&formatter->text, column->name.data, column->name.len);
	buf_append_char(&formatter->text, '-');
	buf_append_u64(&formatter->text, event->num);
	composed(formatter, out);
	formatter->encoder->text(out, formatter->text.data, formatter->text.len);
	return true;
}

int otlp_keep_stream(struct formatter *formatter, struct format_column *column, const char *stream)
{
	struct buf text = {0};
	int r;

	buf_append_string(&text, stream);
	r = format_keep_text(formatter, &text, &column->name);
	buf_finish(&text);
	column->write = otlp_write_id;
	return r;
}

/* Begins the attribute of a word, which has no form. */
static size_t otlp_begin(const struct otlp_attributes *attributes, const char *word,
			 struct buf *out)
{
	struct buf key = {0};
	size_t at;

	schema_append_word(&schema_otel, word, &key);
	buf_append_char(&key, '\0');
	at = attributes->begin(out, key.failed ? "" : key.data);
	if (key.failed)
		buf_fail(out);
	buf_finish(&key);
	return at;
}

static void format_otlp_append_text(const struct otlp_attributes *attributes, const char *word,
				    const char *text, size_t len, struct buf *out)
{
	size_t at = otlp_begin(attributes, word, out);

	attributes->encoder->text(out, text, len);
	attributes->end(out, at);
}

static void otlp_append_number(const struct otlp_attributes *attributes, const char *word,
			       uint64_t number, struct buf *out)
{
	size_t at;

	if (!number)
		return;
	at = otlp_begin(attributes, word, out);
	attributes->encoder->natural(out, number);
	attributes->end(out, at);
}

static void otlp_append_time(const struct otlp_attributes *attributes, const char *word,
			     uint64_t ns, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	if (!ns)
		return;
	clock_rfc3339(&utc, ns, text);
	format_otlp_append_text(attributes, word, text, sizeof(text), out);
}

static void otlp_append_types(const struct otlp_attributes *attributes,
			      const struct format_drop *drop, struct buf *out)
{
	const struct encoder *encoder = attributes->encoder;
	size_t at = otlp_begin(attributes, "drop.types", out), map = encoder->map_begin(out);

	for (size_t i = 0; i < drop->types_count; i++) {
		const char *name = drop->types[i].name;
		size_t entry;

		encoder->item(out);
		entry = out->len;
		encoder->key(out, name, strlen(name));
		encoder->natural(out, drop->types[i].count);
		encoder->entry_end(out, entry);
	}
	encoder->map_end(out, map);
	attributes->end(out, at);
}

void otlp_append_drop(const struct otlp_attributes *attributes, const struct format_drop *drop,
		      struct buf *out)
{
	format_otlp_append_text(attributes, "drop.cause", drop->cause, strlen(drop->cause), out);
	if (drop->id)
		format_otlp_append_text(attributes, "evt.id", drop->id, strlen(drop->id), out);
	otlp_append_number(attributes, "drop.count", drop->count, out);
	otlp_append_number(attributes, "drop.after", drop->after, out);
	otlp_append_number(attributes, "drop.from", drop->from, out);
	otlp_append_number(attributes, "drop.to", drop->to, out);
	otlp_append_time(attributes, "drop.first", drop->first_ns, out);
	otlp_append_time(attributes, "drop.last", drop->last_ns, out);
	otlp_append_types(attributes, drop, out);
}

void otlp_append_end(const struct otlp_attributes *attributes, const struct format_end *end,
		     struct buf *out)
{
	format_otlp_append_text(attributes, "end.reason", end->reason, strlen(end->reason), out);
	if (end->id)
		format_otlp_append_text(attributes, "evt.id", end->id, strlen(end->id), out);
	otlp_append_number(attributes, "end.last", end->last, out);
	otlp_append_number(attributes, "end.records", end->records, out);
	otlp_append_number(attributes, "end.dropped", end->dropped, out);
}

void otlp_append_rule(const struct otlp_attributes *attributes, const struct format_rule *rule,
		      struct buf *out)
{
	const struct encoder *encoder = attributes->encoder;
	size_t at, list;

	format_otlp_append_text(attributes, "rule", rule->name, strlen(rule->name), out);
	at = otlp_begin(attributes, "tags", out);
	list = encoder->list_begin(out);
	for (size_t i = 0; i < rule->tags_count; i++) {
		encoder->item(out);
		encoder->text(out, rule->tags[i], strlen(rule->tags[i]));
	}
	encoder->list_end(out, list);
	attributes->end(out, at);
}

void otlp_append_mark(const struct otlp_attributes *attributes, struct buf *out)
{
	size_t at = otlp_begin(attributes, "evt.redelivered", out);

	attributes->encoder->boolean(out, true);
	attributes->end(out, at);
}
