/* SPDX-License-Identifier: MIT */
/* The format text: colours, events, records of other kinds; lists as tables of Markdown. */
#include "sinsp/format/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/table.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/formatter_impl.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/fields/text_value.h"
#include "util/count.h"
#include "util/table.h"
#include "util/terminal.h"

/*
 * Colours of lines on a terminal: process and event type stand out, errors are red, and numbers
 * that are only identifiers are dim; of requests the status has the colour of its class. Arguments
 * have no colour.
 */

#define DIM "\x1b[2m"
#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BLUE "\x1b[34m"
#define CYAN "\x1b[36m"

static bool has_failed(const struct state_event *event)
{
	int64_t result;

	return event_result(&event->ev, &result) && result < 0;
}

static const char *identity(const struct state_event *event)
{
	return DIM;
}

static const char *process(const struct state_event *event)
{
	return GREEN;
}

static const char *user(const struct state_event *event)
{
	return YELLOW;
}

static const char *container(const struct state_event *event)
{
	return BLUE;
}

static const char *type(const struct state_event *event)
{
	return has_failed(event) ? RED : CYAN;
}

static const char *result(const struct state_event *event)
{
	return has_failed(event) ? RED : "";
}

/* That of its class, as HTTP has them; other numbers tell nothing beside the error. */
static const char *status(const struct state_event *event)
{
	static const char *const classes[] = {
		[1] = DIM, [2] = GREEN, [3] = CYAN, [4] = YELLOW, [5] = RED};
	const struct event *ev = &event->ev;
	uint64_t class = 0;

	if (ev->desc->id != EVENT_request)
		return "";
	if (event_param_present(ev, request__status))
		class = event_param_u64(ev, request__status) / 100;
	if (class && class < COUNT(classes))
		return classes[class];
	return event_param_present(ev, request__error) ? RED : "";
}

static const char *error(const struct state_event *event)
{
	return event->ev.desc->id == EVENT_request &&
			       event_param_present(&event->ev, request__error)
		       ? status(event)
		       : "";
}

static const struct format_colour colours[] = {
	[FIELD_COLOUR_ID] = {identity},
	[FIELD_COLOUR_PROCESS] = {process},
	[FIELD_COLOUR_USER] = {user},
	[FIELD_COLOUR_CONTAINER] = {container},
	[FIELD_COLOUR_TYPE] = {type},
	[FIELD_COLOUR_RESULT] = {result},
	[FIELD_COLOUR_STATUS] = {status},
	[FIELD_COLOUR_ERROR] = {error},
	[FIELD_COLOUR_RESULT_FIRST] = {result, .first_word = true},
};

const struct format_colour *format_colour_of(const struct field_desc *desc)
{
	return desc->colour ? &colours[desc->colour] : NULL;
}

/* Lines of text, in the forms of the .scap world. Control characters in values are dots. */

enum { UTF8_BYTES_MAX = 4 };

static void text_append_boolean(struct formatter *formatter, const struct format_column *column,
				const struct field_value *value, struct buf *out)
{
	buf_append_string(out, value->u64 ? "true" : "false");
}

static void text_append_real(struct formatter *formatter, const struct format_column *column,
			     const struct field_value *value, struct buf *out)
{
	buf_printf(out, "%.1f", value->f64);
}

static void text_append_address(struct formatter *formatter, const struct format_column *column,
				const struct field_value *value, struct buf *out)
{
	address_append_ip(out, value->ip.address, value->ip.len);
}

static void text_append_network(struct formatter *formatter, const struct format_column *column,
				const struct field_value *value, struct buf *out)
{
	BUF_LITERAL(out, "<IPNET>");
}

static void text_append_data(struct formatter *formatter, const struct format_column *column,
			     const struct field_value *value, struct buf *out)
{
	text_append_buffer(out, &formatter->scratch.style, (const uint8_t *)value->bytes.data,
			   value->bytes.len);
}

static void text_append_integer(struct formatter *formatter, const struct format_column *column,
				const struct field_value *value, struct buf *out)
{
	text_append_number(out, column->type, column->format, value->u64);
}

static void text_append_string(struct formatter *formatter, const struct format_column *column,
			       const struct field_value *value, struct buf *out)
{
	buf_append(out, value->bytes.data, value->bytes.len);
}

/* Others are numbers if their size is fixed, else strings. */
static format_value_writer *const text_value_writers[PT_TYPES_COUNT] = {
	[PT_BOOL] = text_append_boolean,   [PT_DOUBLE] = text_append_real,
	[PT_IPADDR] = text_append_address, [PT_IPNET] = text_append_network,
	[PT_BYTEBUF] = text_append_data,
};

static format_value_writer *text_value_writer(enum param_type type)
{
	if (text_value_writers[type])
		return text_value_writers[type];
	return param_type_size(type) ? text_append_integer : text_append_string;
}

void text_append_value(struct formatter *formatter, const struct format_column *column,
		       const struct field_value *value, struct buf *out)
{
	text_value_writer(column->type)(formatter, column, value, out);
}

static bool text_write_list(struct formatter *formatter, const struct format_column *column,
			    const struct state_event *event, struct buf *out)
{
	return format_column_write_list(formatter, column, event, '(', ')', out);
}

/* By the writer in the row of its field. */
static bool text_write_by_row(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, struct buf *out)
{
	formatter->scratch.used = 0;
	return column->ref->desc->text(event, column->ref, &formatter->scratch, out);
}

static bool has_writer(const struct format_column *column)
{
	return column->ref && column->ref->desc->text;
}

static format_column_writer *text_writer_of(const struct format_column *column)
{
	return has_writer(column) ? text_write_by_row
	       : column->list	  ? text_write_list
				  : format_column_write_value;
}

bool text_append_column(struct formatter *formatter, const struct format_column *column,
			const struct state_event *event, struct buf *out)
{
	return text_writer_of(column)(formatter, column, event, out);
}

static int text_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	struct buf before = {0};
	int r;

	buf_append(&before, token->before.data, token->before.len);
	r = format_keep_text(formatter, &before, &column->before);
	buf_finish(&before);
	column->write = text_writer_of(column);
	column->append = text_value_writer(column->type);
	return r;
}

static bool text_continues_character(char c)
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

	while (cut > start && wanted - cut < UTF8_BYTES_MAX - 1 &&
	       text_continues_character(text[cut]))
		cut--;
	return text_continues_character(text[cut]) ? wanted : cut;
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

/* Most columns are written without a call. */
static inline bool text_write_column(struct formatter *formatter,
				     const struct format_column *column,
				     const struct state_event *event, struct buf *out)
{
	if (column->write == format_column_write_value)
		return format_column_write_value(formatter, column, event, out);
	return column->write(formatter, column, event, out);
}

/* Appends a value, or <NA> for a missing one; returns false if the line is to be dropped. */
static inline bool format_text_append_column(struct formatter *formatter,
					     const struct format_column *column,
					     const struct state_event *event, struct buf *out)
{
	size_t start = out->len;

	if (!text_write_column(formatter, column, event, out)) {
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
			    const struct state_event *event, struct buf *out)
{
	const char *colour = column->colour->of(event);
	bool printed;
	size_t start;

	buf_append_string(out, colour);
	start = out->len;
	printed = format_text_append_column(formatter, column, event, out);
	if (colour[0] && !out->failed)
		end_colour(out, column->colour->first_word ? start : out->len);
	return printed;
}

/* What of the event cannot be stated as fact; nothing for most events. */
static void append_marks(struct formatter *formatter, const struct state_event *event,
			 struct buf *out)
{
	static const struct field_ref marks = {.desc = fields_evt_marks};
	struct field_value values[FIELD_VALUES_MAX];
	int count;

	formatter->scratch.used = 0;
	count = field_get(&marks, event, &formatter->scratch, values);
	for (int i = 0; i < count; i++) {
		buf_append_string(out, i ? "," : " marks=(");
		buf_append(out, values[i].bytes.data, values[i].bytes.len);
	}
	if (count > 0)
		buf_append_char(out, ')');
}

/* What the usual line ends with: how the event came, if that is unusual, and what is doubtful. */
static void append_end(struct formatter *formatter, const struct state_event *event,
		       struct buf *out)
{
	if (state_event_is_uring(event))
		BUF_LITERAL(out, " via=io_uring");
	append_marks(formatter, event, out);
}

static bool text_append(struct formatter *formatter, const struct format_span *span,
			const struct state_event *event, struct buf *out)
{
	for (const struct format_column *column = span->begin; column < span->end; column++) {
		bool printed;

		buf_append_chunk(out, column->before.data, column->before.len);
		printed = column->colour ? append_coloured(formatter, column, event, out)
					 : format_text_append_column(formatter, column, event, out);
		if (!printed)
			return false;
	}
	if (formatter->with_marks && span->end == formatter->columns + formatter->columns_count)
		append_end(formatter, event, out);
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
			column->masked =
				param_type_size(column->type) == 0 && column->type != PT_BYTEBUF;
		column->colour =
			style->coloured && column->ref ? format_colour_of(column->ref->desc) : NULL;
	}
}

static void append_match_format(const struct format_rule *rule, struct buf *format)
{
	buf_printf(format, "%%evt.time: %s ", rule->priority);
}

/* People act on what an alert says: one that nobody is sure of does not read like the others. */
void text_append_output(struct match_line *line, const struct state_event *event, struct buf *out)
{
	if (line->start)
		formatter_append(line->start, event, out);
	if (event->filter_unknown)
		BUF_LITERAL(out, "Undecided, a value is truncated: ");
	formatter_append(line->output, event, out);
}

static void text_append_match(struct match_line *line, const struct state_event *event,
			      struct formatter *fields, struct buf *out)
{
	size_t end;

	text_append_output(line, event, out);
	end = out->len;
	if (fields) {
		buf_append_char(out, ' ');
		if (!formatter_append(fields, event, out))
			out->len = end;
	}
	append_marks(line->output, event, out);
}

const struct output_format format_text = {
	.name = "text",
	.events =
		{
			.default_format = FORMAT_DEFAULT_LINE,
			.column_init = text_column_init,
			.append = text_append,
			.end = text_end,
			.style_set = text_style_set,
		},
	.matches =
		{
			.append_format = append_match_format,
			.append = text_append_match,
		},
	.records =
		{
			.append_drop = text_append_drop,
			.append_end = text_append_end,
			.mark_redelivered = text_mark_redelivered,
		},
	.lists = {.append_table = table_append_text},
};

/*
 * Lines of text beside events:
 *   drop: 5 records, 120 to 124, 2026-11-21T11:36:01.0Z to ...: the queue was full (openat 3, close
 * 2)
 *   end: 124 records, the last is 124, 5 dropped: the run ended
 */

static void text_append_time(struct buf *out, uint64_t ns)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	clock_rfc3339(&utc, ns, text);
	buf_append(out, text, sizeof(text));
}

static void text_append_types(struct buf *out, const struct format_drop *drop)
{
	for (size_t i = 0; i < drop->types_count; i++)
		buf_printf(out, "%s%s %llu", i ? ", " : " (", drop->types[i].name,
			   (unsigned long long)drop->types[i].count);
	if (drop->types_count)
		buf_append_char(out, ')');
}

void text_append_drop(const struct format_drop *drop, struct buf *out)
{
	size_t start = out->len;

	if (drop->count)
		buf_printf(out, "drop: %llu record%s", (unsigned long long)drop->count,
			   drop->count == 1 ? "" : "s");
	else
		buf_printf(out, "drop: an unknown number of records, after %llu",
			   (unsigned long long)drop->after);
	if (drop->from)
		buf_printf(out, ", %llu to %llu", (unsigned long long)drop->from,
			   (unsigned long long)drop->to);
	if (drop->first_ns && drop->last_ns) {
		BUF_LITERAL(out, ", ");
		text_append_time(out, drop->first_ns);
		BUF_LITERAL(out, " to ");
		text_append_time(out, drop->last_ns);
	}
	buf_printf(out, ": %s", drop->cause);
	text_append_types(out, drop);
	buf_append_char(out, '\n');
	if (out->failed)
		out->len = start;
}

void text_append_end(const struct format_end *end, struct buf *out)
{
	size_t start = out->len;

	buf_printf(out, "end: %llu record%s, the last is %llu", (unsigned long long)end->records,
		   end->records == 1 ? "" : "s", (unsigned long long)end->last);
	if (end->knows_dropped)
		buf_printf(out, ", %llu dropped", (unsigned long long)end->dropped);
	buf_printf(out, ": %s\n", end->reason);
	if (out->failed)
		out->len = start;
}

void text_mark_redelivered(const struct schema *schema, const char *record, size_t len,
			   struct buf *out)
{
	size_t start = out->len;

	BUF_LITERAL(out, "redelivered: ");
	buf_append(out, record, len);
	if (out->failed)
		out->len = start;
}

/* Lists as tables of Markdown. */

static void text_append_row(const struct table *table, const char *const *cells, struct buf *out)
{
	for (unsigned int i = 0; i < table->columns; i++) {
		BUF_LITERAL(out, "| ");
		for (const char *c = cells[i]; *c; c++) {
			/* Markup of Markdown and HTML that occurs in the tables. */
			if (strchr("|<*_[\\", *c))
				buf_append_char(out, '\\');
			buf_append_char(out, *c);
		}
		buf_append_char(out, ' ');
	}
	BUF_LITERAL(out, "|\n");
}

/* A row of Markdown is one line, of any width. */
static void text_append_table(const struct table *table, unsigned int width, struct buf *out)
{
	const char *at = table->cells.data, *cells[TABLE_COLUMNS_MAX];

	text_append_row(table, table->titles, out);
	for (unsigned int i = 0; i < table->columns; i++)
		BUF_LITERAL(out, "|---");
	BUF_LITERAL(out, "|\n");
	while (table_next_row(table, &at, cells))
		text_append_row(table, cells, out);
}

const struct output_format format_markdown = {
	.name = "markdown",
	.lists = {.append_table = text_append_table},
};
