/* SPDX-License-Identifier: MIT */
/*
 * Columns of protobuf: the bytes before a value are kept; if they begin a message, its length is
 * put in when the value is there.
 */
#include "sinsp/format/proto_column.h"

enum { KEY = 1, VALUE = 2 };

int proto_keep_entry(struct formatter *formatter, struct format_column *column, uint32_t field,
		     const struct buf *key, struct filter_text *before)
{
	struct buf bytes = {0};
	int rc;

	proto_tag(&bytes, field, PROTO_BYTES);
	column->nested = (uint8_t)proto_begin(&bytes);
	proto_tag(&bytes, KEY, PROTO_BYTES);
	proto_text(&bytes, key->data, key->len);
	proto_tag(&bytes, VALUE, PROTO_BYTES);
	rc = format_keep_text(formatter, &bytes, before);
	buf_finish(&bytes);
	return rc;
}

static bool append_column(struct formatter *formatter, const struct format_column *column,
			  const struct sinsp_event *event, struct buf *out)
{
	size_t start = out->len;
	bool left_out;

	buf_append_chunk(out, column->before.data, column->before.len);
	if (column->write(formatter, column, event, out) ||
	    column_write_otherwise(formatter, column, event, out, start + column->before.len)) {
		if (column->nested)
			proto_end(out, start + column->nested);
		return true;
	}
	out->len = start;
	left_out = formatter->left_out;
	formatter->left_out = false;
	return left_out || formatter->missing != MISSING_DROPS_THE_LINE;
}

bool proto_append_columns(struct formatter *formatter, const struct format_span *span,
			  const struct sinsp_event *event, struct buf *out)
{
	for (size_t i = span->begin; i < span->end; i++)
		if (!append_column(formatter, &formatter->columns[i], event, out))
			return false;
	return true;
}

static bool write_number(struct formatter *formatter, const struct format_column *column,
			 const struct sinsp_event *event, struct buf *out)
{
	buf_append_u64(out, event->num);
	return true;
}

int proto_id_init(struct formatter *formatter, struct format_column *column, uint32_t field,
		  const char *stream)
{
	struct buf bytes = {0};
	int rc;

	proto_tag(&bytes, field, PROTO_BYTES);
	column->nested = (uint8_t)proto_begin(&bytes);
	buf_append_string(&bytes, stream);
	buf_append_char(&bytes, '-');
	rc = format_keep_text(formatter, &bytes, &column->before);
	buf_finish(&bytes);
	column->write = write_number;
	return rc;
}

void proto_append_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

void proto_append_number(struct buf *out, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	proto_tag(out, field, PROTO_VARINT);
	proto_varint(out, number);
}

void proto_append_fixed(struct buf *out, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	proto_tag(out, field, PROTO_FIXED64);
	proto_fixed64(out, number);
}
