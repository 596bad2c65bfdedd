/* SPDX-License-Identifier: MIT */
/* What format.c shares with the two kinds of lines, format_json.c and format_text.c. */
#ifndef SINSP_FORMAT_KINDS_H
#define SINSP_FORMAT_KINDS_H

#include <stdbool.h>

#include "sinsp/field.h"
#include "sinsp/format.h"
#include "sinsp/param_json.h"

struct format_column;

struct formatter {
	const struct format_kind *kind;
	struct format_column *columns; /* owned */
	size_t columns_count;
	struct param_json *params; /* owned; JSON only */
	struct field_scratch scratch;
};

/* Appends the value of a column; returns false, with nothing appended, when there is none. */
typedef bool column_writer(struct formatter *formatter, const struct format_column *column,
			   const struct sinsp_event *event, struct buf *out);

struct format_column {
	struct field_ref ref;
	unsigned int needs; /* enum field_needs */
	column_writer *write;
	char *before; /* owned; what stands before the value, and its length */
	size_t before_len;
	const char *after; /* what stands behind it */
};

struct format_kind {
	const char *const *default_fields; /* ended by NULL */
	/* Prepares a column whose field is `text`: ref is set; the rest is zero. */
	int (*column_init)(struct format_column *column, const char *text, bool first);
	void (*write)(struct formatter *formatter, const struct sinsp_event *event,
		      struct buf *out);
	bool brackets; /* fields may stand in brackets */
	bool params; /* needs formatter->params */
};

extern const struct format_kind format_json;
extern const struct format_kind format_text;

/* Gets the values of a column's field. */
static inline int column_get(struct formatter *formatter, const struct format_column *column,
			     const struct sinsp_event *event, struct field_value *values)
{
	formatter->scratch.used = 0;
	return field_get(&column->ref, event, &formatter->scratch, values);
}

#endif
