/* SPDX-License-Identifier: MIT */
/* Records of JSON beside events: evt.id, drop records, and the mark evt.redelivered. */
#include "sinsp/format/json.h"

#include <string.h>

#include "sinsp/format/schema.h"
#include "util/json.h"

static bool write_id(struct formatter *formatter, const struct format_column *column,
		     const struct sinsp_event *event, struct buf *out)
{
	buf_append_u64(out, event->num);
	buf_append_char(out, '"');
	return true;
}

/* Appends ,"key": in a schema. */
static void append_key(struct buf *out, const struct output_schema *schema, const char *word)
{
	struct buf key = {0};

	output_schema_word(schema, word, &key);
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
	int rc;

	append_key(&key, formatter->schema, "evt.id");
	json_append_string(&key, stream, strlen(stream));
	/* The number goes before the quote. */
	if (!key.failed)
		key.data[key.len - 1] = '-';
	rc = format_keep_text(formatter, &key, &column->before);
	buf_finish(&key);
	column->write = write_id;
	return rc;
}

/* A record being written. */
struct record {
	const struct output_schema *schema;
	struct buf *out;
};

static void append_text(const struct record *record, const char *word, const char *text)
{
	append_key(record->out, record->schema, word);
	json_append_string(record->out, text, strlen(text));
}

static void append_number(const struct record *record, const char *word, uint64_t number)
{
	append_key(record->out, record->schema, word);
	json_append_u64(record->out, number);
}

static void append_time(const struct record *record, const char *word, uint64_t ns)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	if (!ns)
		return;
	clock_rfc3339(&utc, ns, text);
	append_key(record->out, record->schema, word);
	json_append_string(record->out, text, sizeof(text));
}

/* The object of counts: {"openat":3}. */
static void append_types(const struct record *record, const struct format_drop *drop)
{
	const struct record types = {NULL, record->out};
	size_t start;

	append_key(record->out, record->schema, "drop.types");
	start = record->out->len;
	for (size_t i = 0; i < drop->types_count; i++)
		append_number(&types, drop->types[i].name, drop->types[i].count);
	json_end_object(record->out, start);
}

static void append_constants(const struct record *record)
{
	const struct schema_head *head = record->schema ? record->schema->heads : NULL;

	for (; head && head->key; head++)
		if (head->constant)
			json_schema_append_constant(record->out, head->key, head->constant);
}

void json_append_drop(const struct format_drop *drop, struct buf *out)
{
	const struct record record = {drop->schema, out};
	size_t start = out->len;

	if (drop->id)
		append_text(&record, "evt.id", drop->id);
	append_time(&record, "evt.time", drop->last_ns);
	append_constants(&record);
	append_text(&record, "evt.type", "drop");
	append_text(&record, "drop.cause", drop->cause);
	if (drop->count)
		append_number(&record, "drop.count", drop->count);
	else
		append_number(&record, "drop.after", drop->after);
	if (drop->from) {
		append_number(&record, "drop.from", drop->from);
		append_number(&record, "drop.to", drop->to);
	}
	append_time(&record, "drop.first", drop->first_ns);
	append_time(&record, "drop.last", drop->last_ns);
	append_types(&record, drop);
	json_end_object(out, start);
	buf_append_char(out, '\n');
	if (out->failed)
		out->len = start;
}

void json_mark_redelivered(const struct output_schema *schema, const char *bytes, size_t len,
			   struct buf *out)
{
	size_t start = out->len;

	append_key(out, schema, "evt.redelivered");
	BUF_LITERAL(out, "true");
	if (len > 1 && bytes[1] != '}')
		buf_append_char(out, ',');
	buf_append(out, bytes + 1, len - 1);
	if (out->failed)
		out->len = start;
	else
		out->data[start] = '{';
}
