/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder: what formatters and the lines of rules are made of. */
#ifndef SINSP_FORMAT_FORMATTER_H
#define SINSP_FORMAT_FORMATTER_H

#include <stdbool.h>

#include "sinsp/expr/operand.h"
#include "sinsp/values/param_json.h"
#include "sinsp/format/format.h"
#include "sinsp/format/kept.h"
#include "sinsp/format/match.h"
#include "util/arena.h"

/* The treatment of a value that an event lacks. */
enum format_missing { MISSING_IS_LEFT_OUT, MISSING_IS_SHOWN, MISSING_DROPS_THE_LINE };

struct formatter {
	const struct format_events *events; /* of the format */
	struct format_column *columns;
	size_t columns_count;
	size_t container_columns; /* of these: the last ones, only for events of containers */
	struct format_span *spans; /* all columns */
	size_t spans_count, host_spans; /* the first ones are for all events */
	struct kept kept; /* bytes of spans that depend on the container alone */
	bool is_seldom_used; /* nothing is kept: there may be hundreds of them */
	struct filter_text after; /* text after the last column */
	enum format_missing missing;
	struct filter_register *regs; /* for the operand being computed */
	struct filter_ref *refs; /* fields of all columns */
	struct arena arena; /* everything above */
	struct field_scratch scratch; /* its `params` are owned */
};

/* Columns one after the other. */
struct format_span {
	size_t begin, end;
	bool of_container; /* all have FIELD_OF_CONTAINER: their bytes are kept */
};

/* Appends the value of a column; returns false, with nothing appended, if there is none. */
typedef bool column_writer(struct formatter *formatter, const struct format_column *column,
			   const struct sinsp_event *event, struct buf *out);

struct format_colour {
	/* Returns the terminal sequence before the value of an event; "": no colour. */
	const char *(*of)(const struct sinsp_event *event);
	bool first_word; /* text after the first blank has no colour */
};

/* Appends one value of a column as JSON. */
typedef void value_writer(struct formatter *formatter, const struct format_column *column,
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
	unsigned int width; /* text: of the value in bytes; 0: not padded */
	column_writer *write;
	value_writer *append; /* JSON: of each value */
	struct filter_text before; /* the text before the value; JSON: its key */
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
	struct formatter *output; /* owned; text */
	struct buf head; /* owned; the bytes that are the same in each line */
	struct buf text; /* owned; for the output of one event, before it is quoted */
};

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

/* Adds a field, which is named at `position` of `text`. As above. */
int format_add_field(struct formatter *formatter, struct filter_text name, const char *text,
		     size_t position, struct filter_error *err);

/* Adds the columns of a list such as "default,proc.cwd". As above. */
int format_parse_fields(struct formatter *formatter, const char *list, struct filter_error *err);

/* Adds the columns of a format. As above. */
int format_parse(struct formatter *formatter, const char *format, struct filter_error *err);

/* Divides the columns into spans, after all were added. Returns 0 or -ENOMEM. */
int format_make_spans(struct formatter *formatter);

/*
 * Appends a span that is of_container, from what is kept if possible. Returns false if there is
 * nothing to print of the event.
 */
bool format_append_kept(struct formatter *formatter, const struct format_span *span,
			const struct sinsp_event *event, struct buf *out);

/* For column_get(), of a column that is not just a field. */
int column_evaluate(struct formatter *formatter, const struct format_column *column,
		    const struct sinsp_event *event);

/* Gets the values of a column; returns their number, or -1. */
static inline int column_get(struct formatter *formatter, const struct format_column *column,
			     const struct sinsp_event *event, const struct field_value **values)
{
	formatter->scratch.used = 0;
	*values = formatter->regs[0].values;
	/* Most columns are. */
	if (column->ref)
		return field_get(column->ref, event, &formatter->scratch,
				 formatter->regs[0].values);
	return column_evaluate(formatter, column, event);
}

#endif
