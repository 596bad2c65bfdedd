/* SPDX-License-Identifier: MIT */
/* Lines of text, in the forms of the .scap world (shared/facts/output-format.md, section 2). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/format_kinds.h"
#include "sinsp/param_text.h"

enum { PADDED_DIGITS = 9, BUFFER_TEXT_MAX = 1022 };

/* In UTF-8 the control characters U+0080 to U+009F are a lead byte and C1_FIRST to C1_LAST. */
enum { FIRST_PRINTABLE = 0x20, DELETE = 0x7f, C1_LEAD = 0xc2, C1_FIRST = 0x80, C1_LAST = 0x9f };

static void append_number(struct buf *out, enum param_type type, enum param_format format,
			  const struct field_value *value)
{
	size_t size = param_type_size(type);
	uint64_t mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;

	switch (format) {
	case PF_HEX:
		buf_append_hex(out, value->u64 & mask, 1);
		break;
	case PF_OCT:
		buf_append_octal(out, value->u64 & mask);
		break;
	case PF_PADDED_DEC:
		buf_append_padded(out, value->u64 & mask, PADDED_DIGITS);
		break;
	default:
		if (param_type_is_signed(type))
			buf_append_i64(out, value->i64);
		else
			buf_append_u64(out, value->u64 & mask);
	}
}

static void append_value(struct buf *out, enum param_type type, enum param_format format,
			 const struct field_value *value)
{
	switch (type) {
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
		text_append_bytes(out, (const uint8_t *)value->bytes.data,
				  value->bytes.len < BUFFER_TEXT_MAX ? value->bytes.len
								     : BUFFER_TEXT_MAX);
		break;
	default:
		if (param_type_size(type))
			append_number(out, type, format, value);
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
	append_value(out, column->type, column->format, value);
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
		append_value(out, column->type, column->format, &values[i]);
	}
	buf_append_char(out, ')');
	return true;
}

/* A recorded parameter has the type and format that this event gives it. */
static bool write_rawarg(struct formatter *formatter, const struct format_column *column,
			 const struct sinsp_event *event, struct buf *out)
{
	int index = column->ref->param_of_event[event->ev.desc->id];
	const struct param_desc *desc;
	struct field_value value;

	if (index < 0)
		return false;
	desc = &event->ev.desc->params[index];
	if (param_type_size(desc->type) && event_param_present(&event->ev, (unsigned int)index)) {
		value.i64 = event_param_i64(&event->ev, (unsigned int)index);
		append_number(out, desc->type, desc->format, &value);
	} else {
		param_text_raw(event, (unsigned int)index, out);
	}
	return true;
}

static int text_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	column->before = token->before;
	if (column->ref && strcmp(column->ref->desc->name, "evt.rawarg") == 0)
		column->write = write_rawarg;
	else
		column->write = column->list ? write_list : write_value;
	return 0;
}

#define EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

/* How many bytes, in steps of eight, are printable ASCII: as a rule all of a value. */
static size_t printable_run(const uint8_t *text, size_t len)
{
	uint64_t word;
	size_t n;

	for (n = 0; len - n >= sizeof(word); n += sizeof(word)) {
		memcpy(&word, text + n, sizeof(word));
		/* The top bit of a byte is set here when it is 0x80 or more, 0x7f, below 0x20. */
		if ((word | (word + EVERY_BYTE(1)) | (word - EVERY_BYTE(FIRST_PRINTABLE))) &
		    EVERY_BYTE(0x80))
			break;
	}
	return n;
}

/*
 * Puts dots for control characters, those of C1 in UTF-8 included: names and arguments are
 * anybody's choice, and must neither steer a terminal nor look like another line.
 */
static void mask_controls(uint8_t *text, size_t len)
{
	for (size_t i = printable_run(text, len); i < len; i++) {
		if (text[i] < FIRST_PRINTABLE || text[i] == DELETE)
			text[i] = '.';
		else if (text[i] == C1_LEAD && i + 1 < len && text[i + 1] >= C1_FIRST &&
			 text[i + 1] <= C1_LAST)
			text[i] = text[i + 1] = '.';
	}
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Cuts or fills what stands behind `start` to `width` bytes. A character of UTF-8 stays whole. */
static void set_width(struct buf *out, size_t start, unsigned int width)
{
	size_t wanted = start + width;

	if (out->len > wanted) {
		size_t cut = wanted;

		while (cut > start && continues_character(out->data[cut]))
			cut--;
		out->len = cut;
	}
	if (!buf_reserve(out, wanted - out->len))
		return;
	memset(out->data + out->len, ' ', wanted - out->len);
	out->len = wanted;
}

static bool text_append(struct formatter *formatter, const struct sinsp_event *event,
			struct buf *out)
{
	for (size_t i = 0; i < formatter->columns_count; i++) {
		const struct format_column *column = &formatter->columns[i];
		size_t start;

		buf_append(out, column->before.data, column->before.len);
		start = out->len;
		if (!column->write(formatter, column, event, out)) {
			if (formatter->missing == MISSING_DROPS_THE_LINE)
				return false;
			BUF_LITERAL(out, "<NA>");
		}
		if (out->failed)
			return true;
		mask_controls((uint8_t *)out->data + start, out->len - start);
		if (column->width)
			set_width(out, start, column->width);
	}
	buf_append(out, formatter->after.data, formatter->after.len);
	return true;
}

const struct format_kind format_text = {
	.default_format =
		"*%evt.num %evt.time %evt.cpu %proc.name (%thread.tid) %evt.type %evt.args",
	.column_init = text_column_init,
	.append = text_append,
};
