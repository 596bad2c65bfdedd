/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: making columns, and the two kinds of lines. */
#ifndef SINSP_FORMAT_KINDS_H
#define SINSP_FORMAT_KINDS_H

#include <stdbool.h>

#include "sinsp/expr/operand.h"
#include "sinsp/fields/param_json.h"
#include "sinsp/format/format.h"
#include "util/arena.h"

struct format_column;

/* What becomes of a value that an event does not have. */
enum format_missing { MISSING_IS_LEFT_OUT, MISSING_IS_SHOWN, MISSING_DROPS_THE_LINE };

struct formatter {
	const struct format_kind *kind;
	struct format_column *columns;
	size_t columns_count;
	struct filter_text after; /* text after the last column */
	enum format_missing missing;
	struct filter_slot *slots; /* for the operand that is at work */
	struct filter_ref *refs; /* fields of all columns */
	struct arena arena; /* everything above */
	struct field_scratch scratch; /* its `params` are owned */
};

/* Appends the value of a column; returns false, with nothing appended, when there is none. */
typedef bool column_writer(struct formatter *formatter, const struct format_column *column,
			   const struct sinsp_event *event, struct buf *out);

struct format_colour {
	/* The sequence for terminals before the value of an event; "": it has no colour. */
	const char *(*of)(const struct sinsp_event *event);
	bool first_word; /* what follows the first blank has no colour */
};

/* Appends one value of a column as JSON. */
typedef void value_writer(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out);

struct format_column {
	struct filter_text name; /* the operand as it is written */
	struct filter_operand operand;
	const struct field_ref *ref; /* a field without transformer; NULL: something else */
	enum param_type type; /* of each value */
	enum param_format format;
	bool list;
	unsigned int needs; /* enum field_needs */
	bool masked; /* text: the value may have control characters that must not be printed */
	const struct format_colour *colour; /* text; NULL: none */
	const struct field_json *json; /* JSON; NULL: as its type has it */
	unsigned int width; /* text: of the value in bytes; 0: its own */
	column_writer *write;
	value_writer *append; /* JSON: of each value */
	struct filter_text before; /* what stands before the value; JSON: its key */
};

/* A column that is about to be added: the text before it, and the operand as it is written. */
struct format_token {
	struct filter_text before;
	unsigned int width;
	const struct filter_expr *expr;
	struct filter_text name;
};

struct format_kind {
	/* One of the two; the list is ended by NULL. */
	const char *const *default_fields;
	const char *default_format;
	/* Prepares a column: sets write, and before; the rest is set. Returns 0 or -ENOMEM. */
	int (*column_init)(struct formatter *formatter, struct format_column *column,
			   const struct format_token *token);
	bool (*append)(struct formatter *formatter, const struct sinsp_event *event,
		       struct buf *out);
	/* Called after formatter->scratch.style has changed; may be NULL. */
	void (*style_set)(struct formatter *formatter);
	bool params; /* needs formatter->scratch.params */
	bool keyed; /* a column that is there already is not added again */
};

extern const struct format_kind format_json;
extern const struct format_kind format_text;

/* The colour of a field's values; NULL: none. */
const struct format_colour *format_colour_of(const struct field_desc *desc);

/* Makes room for `n` columns. Returns 0 or -ENOMEM. */
int format_reserve(struct formatter *formatter, size_t n);

/*
 * Binds the operand of a token and adds it as a column; `text` is what positions in it are counted
 * from. Returns 0, -EINVAL with `err` set, or -ENOMEM.
 */
int format_add_column(struct formatter *formatter, const struct format_token *token,
		      const char *text, struct filter_error *err);

/* Adds a field; what names it stands at `position` of `text`. As above. */
int format_add_field(struct formatter *formatter, struct filter_text name, const char *text,
		     size_t position, struct filter_error *err);

/* Adds the columns of a list such as "default,proc.cwd". As above. */
int format_parse_fields(struct formatter *formatter, const char *list, struct filter_error *err);

/* Adds the columns of a format. As above. */
int format_parse(struct formatter *formatter, const char *format, struct filter_error *err);

/* Gets the values of a column; returns their number, or -1. */
static inline int column_get(struct formatter *formatter, const struct format_column *column,
			     const struct sinsp_event *event, const struct field_value **values)
{
	formatter->scratch.used = 0;
	*values = formatter->slots[0].values;
	/* Most columns are fields, and need no steps. */
	if (column->ref)
		return field_get(column->ref, event, &formatter->scratch,
				 formatter->slots[0].values);
	return operand_get(&column->operand, event, formatter->slots, &formatter->scratch);
}

#endif
