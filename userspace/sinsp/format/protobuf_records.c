/* SPDX-License-Identifier: MIT */
/* Messages of proto/event.proto beside plain events. */
#include "sinsp/format/protobuf_records.h"

#include "sinsp/format/proto_column.h"
#include "sinsp/format/numbers.h"
#include "sinsp/values/encoder.h"

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
enum { MATCH_RULE = 1, MATCH_PRIORITY, MATCH_TAGS, MATCH_OUTPUT };
enum { ENTRY_KEY = 1, ENTRY_VALUE };

static const struct proto_shape flat[] = {{0}};
static const struct proto_shape drop_shape[] = {{DROP_TYPES, flat}, {0}};
static const struct proto_shape event_shape[] = {
	{EVENT_NUMBER_DROP, drop_shape},	  {EVENT_NUMBER_MATCH, flat},
	{EVENT_NUMBER_OTHERS, proto_entry_shape}, {EVENT_NUMBER_ARGS, proto_entry_shape},
	{EVENT_NUMBER_INFO, proto_entry_shape},	  {0},
};

void protobuf_visit_texts(char *record, size_t len, proto_text_visitor *visit, void *context)
{
	proto_visit_texts(event_shape, record, len, visit, context);
}

int protobuf_id_column_init(struct formatter *formatter, struct format_column *column,
			    const char *stream)
{
	return proto_id_init(formatter, column, EVENT_NUMBER_ID, stream);
}

static void append_types(const struct format_drop *drop, struct buf *out)
{
	for (size_t i = 0; i < drop->types_count; i++) {
		size_t entry;

		proto_tag(out, DROP_TYPES, PROTO_BYTES);
		entry = proto_begin(out);
		proto_append_text(out, ENTRY_KEY, drop->types[i].name);
		proto_append_number(out, ENTRY_VALUE, drop->types[i].count);
		proto_end(out, entry);
	}
}

void protobuf_append_drop(const struct format_drop *drop, struct buf *out)
{
	size_t start = out->len, message;

	if (drop->id)
		proto_append_text(out, EVENT_NUMBER_ID, drop->id);
	proto_append_text(out, schema_number("evt.type"), "drop");
	proto_append_fixed(out, schema_number("evt.time"), drop->last_ns);
	proto_tag(out, EVENT_NUMBER_DROP, PROTO_BYTES);
	message = proto_begin(out);
	proto_append_text(out, DROP_CAUSE, drop->cause);
	proto_append_number(out, DROP_COUNT, drop->count);
	proto_append_number(out, DROP_FROM, drop->from);
	proto_append_number(out, DROP_TO, drop->to);
	proto_append_fixed(out, DROP_FIRST, drop->first_ns);
	proto_append_fixed(out, DROP_LAST, drop->last_ns);
	append_types(drop, out);
	proto_append_number(out, DROP_AFTER, drop->after);
	proto_end(out, message);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

void protobuf_mark_redelivered(const struct output_schema *schema, const char *record, size_t len,
			       struct buf *out)
{
	size_t start = out->len, head = proto_length_bytes(record, len);

	proto_append_number(out, EVENT_NUMBER_REDELIVERED, true);
	buf_append(out, record + head, len - head);
	proto_delimit(out, start);
	if (out->failed)
		out->len = start;
}

void protobuf_append_match_head(const struct format_rule *rule, struct buf *head)
{
	proto_append_text(head, MATCH_RULE, rule->name);
	proto_append_text(head, MATCH_PRIORITY, rule->priority);
	for (size_t i = 0; i < rule->tags_count; i++)
		proto_append_text(head, MATCH_TAGS, rule->tags[i]);
}

void protobuf_append_match(struct match_line *line, const struct sinsp_event *event,
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
