/* SPDX-License-Identifier: MIT */
/* Lines of text, in the forms of the .scap world. Control characters in values are dots. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/values/param_text.h"
#include "sinsp/values/text_bytes.h"
#include "sinsp/values/text_number.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/text.h"
#include "util/table.h"
#include "util/terminal.h"

enum { UTF8_BYTES_MAX = 4 };

static void append_value(struct buf *out, const struct format_column *column,
			 const struct text_style *style, const struct field_value *value)
{
	switch (column->type) {
	case PT_BOOL:
		buf_append_string(out, value->u64 ? "true" : "false");
		break;
	case PT_DOUBLE:
		buf_printf(out, "%.1f", value->f64);
		break;
	case PT_IPADDR:
		text_append_ip(out, value->ip.address, value->ip.len);
		break;
	case PT_IPNET:
		BUF_LITERAL(out, "<IPNET>");
		break;
	case PT_BYTEBUF:
		text_append_buffer(out, style, (const uint8_t *)value->bytes.data,
				   value->bytes.len);
		break;
	default:
		if (param_type_size(column->type))
			text_append_number(out, column->type, column->format, value->u64);
		else
			buf_append(out, value->bytes.data, value->bytes.len);
	}
}

static bool write_value(struct formatter *formatter, const struct format_column *column,
			const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *value;

	if (column_get(formatter, column, event, &value) < 1)
		return false;
	append_value(out, column, &formatter->scratch.style, value);
	return true;
}

static bool write_list(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *values;
	int n = column_get(formatter, column, event, &values);

	if (n < 0)
		return false;
	buf_append_char(out, '(');
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		append_value(out, column, &formatter->scratch.style, &values[i]);
	}
	buf_append_char(out, ')');
	return true;
}

/* By the writer in the row of its field. */
static bool write_by_row(struct formatter *formatter, const struct format_column *column,
			 const struct sinsp_event *event, struct buf *out)
{
	formatter->scratch.used = 0;
	return column->ref->desc->text(event, column->ref, &formatter->scratch, out);
}

static bool has_writer(const struct format_column *column)
{
	return column->ref && column->ref->desc->text;
}

static column_writer *writer_of(const struct format_column *column)
{
	return has_writer(column) ? write_by_row : column->list ? write_list : write_value;
}

bool text_append_column(struct formatter *formatter, const struct format_column *column,
			const struct sinsp_event *event, struct buf *out)
{
	return writer_of(column)(formatter, column, event, out);
}

static int text_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	column->before = token->before;
	column->write = writer_of(column);
	return 0;
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * The last position up to `wanted` where a text can be truncated without splitting a UTF-8
 * character.
 */
static size_t cut_before(const char *text, size_t start, size_t wanted)
{
	size_t cut = wanted;

	while (cut > start && wanted - cut < UTF8_BYTES_MAX - 1 && continues_character(text[cut]))
		cut--;
	return continues_character(text[cut]) ? wanted : cut;
}

/* Truncates or pads the text from `start` on to `width` bytes. */
static void set_width(struct buf *out, size_t start, unsigned int width)
{
	size_t wanted = start + width;

	if (out->len > wanted)
		out->len = cut_before(out->data, start, wanted);
	if (!buf_reserve(out, wanted - out->len))
		return;
	memset(out->data + out->len, ' ', wanted - out->len);
	out->len = wanted;
}

/* Appends a value, or <NA> for a missing one; returns false if the line is to be dropped. */
static bool append_column(struct formatter *formatter, const struct format_column *column,
			  const struct sinsp_event *event, struct buf *out)
{
	size_t start = out->len;

	if (!column->write(formatter, column, event, out)) {
		if (formatter->missing == MISSING_DROPS_THE_LINE)
			return false;
		BUF_LITERAL(out, "<NA>");
	}
	if (out->failed)
		return true;
	if (column->masked)
		terminal_mask(out->data + start, out->len - start);
	if (column->width)
		set_width(out, start, column->width);
	return true;
}

/* Ends a colour after the first word from `start` on. */
static void end_colour(struct buf *out, size_t start)
{
	static const char end[] = "\x1b[0m";
	const size_t n = sizeof(end) - 1;
	const char *blank = memchr(out->data + start, ' ', out->len - start);
	size_t at = blank ? (size_t)(blank - out->data) : out->len;

	if (!buf_reserve(out, n))
		return;
	memmove(out->data + at + n, out->data + at, out->len - at);
	memcpy(out->data + at, end, n);
	out->len += n;
}

static bool append_coloured(struct formatter *formatter, const struct format_column *column,
			    const struct sinsp_event *event, struct buf *out)
{
	const char *colour = column->colour->of(event);
	bool printed;
	size_t start;

	buf_append_string(out, colour);
	start = out->len;
	printed = append_column(formatter, column, event, out);
	if (colour[0] && !out->failed)
		end_colour(out, column->colour->first_word ? start : out->len);
	return printed;
}

static bool text_append(struct formatter *formatter, const struct format_span *span,
			const struct sinsp_event *event, struct buf *out)
{
	for (size_t i = span->begin; i < span->end; i++) {
		const struct format_column *column = &formatter->columns[i];
		bool printed;

		buf_append(out, column->before.data, column->before.len);
		printed = column->colour ? append_coloured(formatter, column, event, out)
					 : append_column(formatter, column, event, out);
		if (!printed)
			return false;
	}
	return true;
}

static void text_end(struct formatter *formatter, struct buf *out, size_t start)
{
	buf_append(out, formatter->after.data, formatter->after.len);
}

static void text_style_set(struct formatter *formatter)
{
	struct text_style *style = &formatter->scratch.style;

	style->masked = style->bytes != TEXT_BYTES_DOTS;
	for (size_t i = 0; i < formatter->columns_count; i++) {
		struct format_column *column = &formatter->columns[i];

		/* Buffers in them may have several lines: the writer masks each parameter. */
		if (has_writer(column))
			column->masked = !style->masked;
		else
			column->masked = param_type_size(column->type) == 0 &&
					 column->type != PT_BYTEBUF;
		column->colour = style->coloured && column->ref ?
					 format_colour_of(column->ref->desc) : NULL;
	}
}

static void append_match_format(const struct format_rule *rule, struct buf *format)
{
	buf_printf(format, "%%evt.time: %s ", rule->priority);
}

static void append_match(struct match_line *line, const struct sinsp_event *event,
			 struct formatter *fields, struct buf *out)
{
	size_t end;

	formatter_append(line->output, event, out);
	if (!fields)
		return;
	end = out->len;
	buf_append_char(out, ' ');
	if (!formatter_append(fields, event, out))
		out->len = end;
}

const struct output_format format_text = {
	.name = "text",
	.events = {
		.default_format = FORMAT_DEFAULT_LINE,
		.column_init = text_column_init,
		.append = text_append,
		.end = text_end,
		.style_set = text_style_set,
	},
	.matches = {
		.append_format = append_match_format,
		.append = append_match,
	},
	.records = {
		.append_drop = text_append_drop,
		.mark_redelivered = text_mark_redelivered,
	},
	.lists = {.append_table = table_append_text},
};
