/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder: what formatters and the lines of rules are made of. */
#ifndef SINSP_FORMAT_FORMATTER_IMPL_H
#define SINSP_FORMAT_FORMATTER_IMPL_H

#include <stdbool.h>

#include "sinsp/format/event_hider.h"
#include "sinsp/filter/operand.h"
#include "sinsp/fields/thread_text.h"
#include "sinsp/fields/param_value.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/span_cache.h"
#include "sinsp/format/match.h"
#include "util/arena.h"

/* The treatment of a value that an event lacks. */
enum format_missing { MISSING_IS_LEFT_OUT, MISSING_IS_SHOWN, MISSING_DROPS_THE_LINE };

struct schema_head;

struct formatter {
	const struct output_format *output;
	const struct format_events *events; /* of the format */
	const struct schema *schema; /* NULL: fields have their own names */
	const struct schema_head *head; /* whose column is prepared, or NULL */
	const struct schema_identity
		*machine; /* that events happen on; borrowed; NULL: not known */
	const struct encoder *encoder; /* how values are written; NULL: not by an encoder */
	struct param_values *values; /* owned; parameters, for the encoder; NULL without one */
	struct format_column *columns;
	size_t columns_count;
	size_t container_columns; /* of these: the last ones, only for events of containers */
	struct format_span *spans; /* all columns */
	size_t spans_count, host_spans; /* the first ones are for all events */
	struct span_cache of_containers, of_threads; /* bytes of spans of these kinds */
	struct thread_revisions threads;
	bool with_marks; /* of text: evt.marks ends the line, if there are any */
	bool is_seldom_used; /* nothing is kept: there may be hundreds of them */
	struct filter_text after; /* text after the last column */
	enum format_missing missing;
	struct filter_register *regs; /* for the operand being computed */
	struct filter_ref *refs; /* fields of all columns */
	struct formatter *body; /* owned; of OpenTelemetry: the line of text of an event */
	bool in_match; /* the event matched a rule, which says what the severity is */
	size_t attributes_at; /* of OpenTelemetry in JSON: where those of the record begin */
	size_t head_columns; /* the first ones, which stay before all others */
	bool left_out; /* set by writers: the schema leaves this value out, on purpose */
	struct buf text; /* owned: a value before it is quoted */
	struct event_hider event_hider; /* the event that is written, if it may have secrets */
	struct arena arena; /* everything above that is not owned by itself */
	struct field_scratch scratch; /* its `params` are `values` */
};

/* What the columns of a span depend on. */
enum format_span_kind {
	SPAN_EVENT,
	SPAN_CONTAINER, /* all have FIELD_OF_CONTAINER: their bytes are kept */
	SPAN_THREAD, /* all have FIELD_OF_THREAD: likewise */
};

/* Columns one after the other. */
struct format_span {
	const struct format_column *begin, *end;
	enum format_span_kind kind;
	bool has_texts; /* it can have secrets */
};

/* Appends the value of a column; returns false, with nothing appended, if there is none. */
typedef bool format_column_writer(struct formatter *formatter, const struct format_column *column,
				  const struct state_event *event, struct buf *out);

struct format_colour {
	/* Returns the terminal sequence before the value of an event; "": no colour. */
	const char *(*of)(const struct state_event *event);
	bool first_word; /* text after the first blank has no colour */
};

/* Appends one value of a column. */
typedef void format_value_writer(struct formatter *formatter, const struct format_column *column,
				 const struct field_value *value, struct buf *out);

struct format_column {
	struct filter_text name; /* the text of the operand */
	struct filter_operand operand;
	const struct field_ref *ref; /* the field, if there is no transformer; else NULL */
	enum param_type type; /* of each value */
	enum param_format format;
	bool list;
	unsigned int needs; /* enum field_needs */
	bool masked; /* text: the value may have control characters that must not be printed */
	const struct format_colour *colour; /* text; NULL: none */
	const struct field_json *json; /* JSON; NULL: implied by its type */
	field_getter *get; /* of a field; NULL: format_column_evaluate() */
	bool (*is_known)(const struct state_event *event); /* for programs; NULL: of every event */
	bool is_seldom; /* nothing is written of events that format_skips_seldom() says */
	unsigned int width; /* text: of the value in bytes; 0: not padded */
	format_column_writer *write;
	format_value_writer *append; /* of each value */
	struct filter_text before; /* the text before the value; JSON: its key */
	const struct format_column *otherwise; /* the next one with the same key; NULL: none */
	struct filter_text elsewhere; /* with a schema: another key, for values of other kinds */
	uint8_t nested; /* protobuf: where in `before` a message begins; 0: none does */
	const char *absent; /* with a schema: the text that stands for no value; NULL: none does */
	const char *word; /* of a companion: the value if the field has one */
};

/* A column to be added: the text before it, and the text of the operand. */
struct format_token {
	struct filter_text before;
	unsigned int width;
	const struct filter_expr *expr;
	struct filter_text name;
};

struct match_line {
	const struct format_matches *matches;
	const struct format_events *events; /* of the same format */
	struct formatter *start; /* owned; text before the output; NULL: none */
	struct formatter *output; /* owned; text */
	struct formatter *values; /* owned; of alerts: the fields of the output; NULL: no alert */
	struct buf head; /* owned; the bytes that are the same in each line */
	struct buf text; /* owned; for the output of one event, before it is quoted */
};

/*
 * Composes the output of the rule for an event in line->text, for what is quoted. If there is no
 * memory for it `out` fails, since it would lack it.
 */
const struct buf *match_line_compose(struct match_line *line, const struct state_event *event,
				     struct buf *out);

/* Ends a record that began at `start`. */
static inline void format_delimit(const struct format_events *events, struct buf *out, size_t start)
{
	if (events->delimit)
		events->delimit(out, start);
	else
		buf_append_char(out, '\n');
}

/* The fields of objects by default, and those of events of containers; each ends with NULL. */
extern const char *const format_object_fields[], *const format_object_container_fields[];

/* The colour of a field's values; NULL: none. */
const struct format_colour *format_colour_of(const struct field_desc *desc);

/* Makes room for `n` columns. Returns 0 or -ENOMEM. */
int format_reserve(struct formatter *formatter, size_t n);

/*
 * Binds the operand of a token and adds it as a column; its positions are offsets in `text`.
 * Returns 0, -EINVAL with `err` set, or -ENOMEM.
 */
int format_add_column(struct formatter *formatter, const struct format_token *token,
		      const char *text, struct filter_error *err);

/*
 * Adds a field, which is named at `position` of `text`. Returns 0, -EINVAL with `err` set, or
 * -ENOMEM.
 */
int format_add_field(struct formatter *formatter, struct filter_text name, const char *text,
		     size_t position, struct filter_error *err);

/* What column_init of a format returns for a column that is not to be added. */
enum { FORMAT_COLUMN_UNNEEDED = 1 };

/*
 * Adds a prepared column. In formats with keys a key stands there once: the same field is not added
 * again, and another one with the same name in a schema is for events in which the first has no
 * value. Returns 0 or -ENOMEM.
 */
int format_place_column(struct formatter *formatter, const struct format_column *column);

/* For format_column_write_otherwise(): tries a column and those after it with the same key. */
bool format_column_write_next(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, struct buf *out, size_t at);

/*
 * After the writer of a column found no value: tries the fields with the same key. The value begins
 * at `at`. Returns false if there is none.
 */
static inline bool format_column_write_otherwise(struct formatter *formatter,
						 const struct format_column *column,
						 const struct state_event *event, struct buf *out,
						 size_t at)
{
	return column->otherwise &&
	       format_column_write_next(formatter, column->otherwise, event, out, at);
}

/*
 * Puts a column before all others but those of the head, after they were added. Returns 0 or
 * -ENOMEM.
 */
int format_prepend_column(struct formatter *formatter, const struct format_column *column);

/* Copies bytes to memory of the formatter, with BUF_CHUNK readable bytes. Returns 0 or -ENOMEM. */
int format_keep_text(struct formatter *formatter, const struct buf *text, struct filter_text *kept);

/*
 * Adds the columns of a list such as "default,proc.cwd". Returns 0, -EINVAL with `err` set, or
 * -ENOMEM.
 */
int format_parse_fields(struct formatter *formatter, const char *list, struct filter_error *err);

/* Adds the columns of a format. Returns 0, -EINVAL with `err` set, or -ENOMEM. */
int format_parse(struct formatter *formatter, const char *format, struct filter_error *err);

/*
 * Divides the columns into spans, after all were added, and after the hider was set, which has its
 * own. Returns 0, or -ENOMEM: they stay as they were.
 */
int format_make_spans(struct formatter *formatter);

/* Appends a span, without its secrets. Returns false if there is nothing to print of the event. */
bool format_append_span(struct formatter *formatter, const struct format_span *span,
			const struct state_event *event, struct buf *out);

/*
 * Appends a span that is not of the event, from what is kept if possible. Returns false if there is
 * nothing to print of the event.
 */
bool format_append_cached(struct formatter *formatter, const struct format_span *span,
			  const struct state_event *event, struct buf *out);

/* For format_column_get(), of a column that is not just a field. */
int format_column_evaluate(struct formatter *formatter, const struct format_column *column,
			   const struct state_event *event);

/* Whether the bytes of a column can be kept: they depend on the container alone. */
static inline bool format_column_is_of_container(const struct format_column *column)
{
	return column->ref && column->ref->desc->flags & FIELD_OF_CONTAINER;
}

/* Whether the values of a column are words of a closed set. */
static inline bool format_column_has_words(const struct format_column *column)
{
	return column->ref && column->ref->desc->words;
}

/* Whether nothing is written of an event in columns of fields that seldom have a value. */
static inline bool format_skips_seldom(const struct formatter *formatter,
				       const struct state_event *event)
{
	return formatter->missing == MISSING_IS_LEFT_OUT && !state_event_is_uring(event) &&
	       !state_event_is_marked(event);
}

/* Gets the values of a column; returns their number, or -1. */
static inline int format_column_get(struct formatter *formatter, const struct format_column *column,
				    const struct state_event *event,
				    const struct field_value **values)
{
	formatter->scratch.used = 0;
	*values = formatter->regs[0].values;
	if (column->is_known && !column->is_known(event))
		return -1;
	if (column->get)
		return column->get(event, column->ref, &formatter->scratch,
				   formatter->regs[0].values);
	return format_column_evaluate(formatter, column, event);
}

/* Writes a column with one value; returns false, with nothing written, if there is none. */
static inline bool format_column_write_value(struct formatter *formatter,
					     const struct format_column *column,
					     const struct state_event *event, struct buf *out)
{
	const struct field_value *value;

	if (format_column_get(formatter, column, event, &value) < 1)
		return false;
	column->append(formatter, column, value, out);
	return true;
}

/* Writes a column with a list of values, commas between them; returns as that. */
bool format_column_write_list(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, char open, char close,
			      struct buf *out);

#endif
