/* SPDX-License-Identifier: MIT */
/* Lines of text, in the forms of the .scap world. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/param_text.h"
#include "sinsp/fields/text_bytes.h"
#include "sinsp/format/kinds.h"

enum { PADDED_DIGITS = 9, UTF8_BYTES_MAX = 4 };

static void append_number(struct buf *out, enum param_type type, enum param_format format,
			  const struct field_value *value)
{
	uint64_t bits = value_bits(value->u64, param_type_size(type));

	switch (format) {
	case PF_HEX:
		buf_append_hex(out, bits, 1);
		break;
	case PF_OCT:
		buf_append_octal(out, bits);
		break;
	case PF_PADDED_DEC:
		buf_append_padded(out, bits, PADDED_DIGITS);
		break;
	default:
		if (param_type_is_signed(type))
			buf_append_i64(out, value->i64);
		else
			buf_append_u64(out, bits);
	}
}

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
			append_number(out, column->type, column->format, value);
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

/* A recorded parameter has the type and format that this event gives it. */
static bool write_rawarg(struct formatter *formatter, const struct format_column *column,
			 const struct sinsp_event *event, struct buf *out)
{
	int index = field_param_index(column->ref, event);
	const struct param_desc *desc;
	struct field_value value;

	if (index < 0)
		return false;
	desc = &event->ev.desc->params[index];
	if (param_type_size(desc->type) && event_param_present(&event->ev, (unsigned int)index)) {
		value.i64 = event_param_i64(&event->ev, (unsigned int)index);
		append_number(out, desc->type, desc->format, &value);
	} else {
		param_text_raw(event, (unsigned int)index, &formatter->scratch.style, out);
	}
	return true;
}

static bool write_arg(struct formatter *formatter, const struct format_column *column,
		      const struct sinsp_event *event, struct buf *out)
{
	int index = field_param_index(column->ref, event);

	if (index < 0)
		return false;
	param_text_append(event, (unsigned int)index, &formatter->scratch.style, out);
	return true;
}

static bool write_args(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	param_text_all(event, &formatter->scratch.style, out);
	return true;
}

/*
 * Fields made of parameters go straight to the output: a buffer in hexadecimal is longer than the
 * memory for values. Such buffers may have several lines, so that parameters are masked one by one.
 */
static const struct {
	const char *name;
	column_writer *write;
} own_writers[] = {
	{"evt.args", write_args},
	{"evt.info", write_args},
	{"evt.arg", write_arg},
	{"evt.rawarg", write_rawarg},
};

/* NULL: it is written as its type has it. */
static column_writer *find_own_writer(const struct field_ref *ref)
{
	for (size_t i = 0; ref && i < sizeof(own_writers) / sizeof(own_writers[0]); i++)
		if (strcmp(ref->desc->name, own_writers[i].name) == 0)
			return own_writers[i].write;
	return NULL;
}

static int text_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	column->before = token->before;
	column->write = find_own_writer(column->ref);
	if (!column->write)
		column->write = column->list ? write_list : write_value;
	return 0;
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where a text can be cut at `wanted` or before, so that a character of UTF-8 stays whole. */
static size_t cut_before(const char *text, size_t start, size_t wanted)
{
	size_t cut = wanted;

	while (cut > start && wanted - cut < UTF8_BYTES_MAX - 1 && continues_character(text[cut]))
		cut--;
	return continues_character(text[cut]) ? wanted : cut;
}

/* Cuts or fills what stands behind `start` to `width` bytes. */
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

/* Appends a value, or what stands for one; returns false when the line is to be dropped. */
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
		text_mask_controls(out->data + start, out->len - start);
	if (column->width)
		set_width(out, start, column->width);
	return true;
}

/* Puts the end of a colour behind the first word of what stands behind `start`. */
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

static bool text_append(struct formatter *formatter, const struct sinsp_event *event,
			struct buf *out)
{
	for (size_t i = 0; i < formatter->columns_count; i++) {
		const struct format_column *column = &formatter->columns[i];
		bool printed;

		buf_append(out, column->before.data, column->before.len);
		printed = column->colour ? append_coloured(formatter, column, event, out)
					 : append_column(formatter, column, event, out);
		if (!printed)
			return false;
	}
	buf_append(out, formatter->after.data, formatter->after.len);
	return true;
}

static void text_style_set(struct formatter *formatter)
{
	struct text_style *style = &formatter->scratch.style;

	style->masked = style->bytes != TEXT_BYTES_DOTS;
	for (size_t i = 0; i < formatter->columns_count; i++) {
		struct format_column *column = &formatter->columns[i];

		if (find_own_writer(column->ref))
			column->masked = !style->masked;
		else
			column->masked = param_type_size(column->type) == 0 &&
					 column->type != PT_BYTEBUF;
		column->colour =
			style->coloured && column->ref ? format_colour_of(column->ref->desc) : NULL;
	}
}

const struct format_kind format_text = {
	.default_format = FORMAT_DEFAULT_LINE,
	.column_init = text_column_init,
	.append = text_append,
	.style_set = text_style_set,
};
