/* SPDX-License-Identifier: MIT */
/*
 * What a format is: a row that says how it prints events, matches of rules and lists. It stands in
 * the file of the format; the table at the end lists all.
 */
#ifndef SINSP_FORMAT_OUTPUT_FORMAT_H
#define SINSP_FORMAT_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct format_column;
struct format_drop;
struct format_end;
struct format_rule;
struct format_span;
struct format_token;
struct formatter;
struct match_line;
struct schema;
struct state_event;
struct table;
struct encoder;

/* Lines of events. All zero: the format prints none. */
struct format_events {
	/* What is printed by default: a list of fields that ends with NULL, or a format. */
	const char *const *default_fields;
	const char *default_format;
	/* Further default fields, of events of containers only. NULL: none; else ends with NULL. */
	const char *const *container_fields;
	/*
	 * Prepares a column that begins each record, for what is not a field: sets write, and if
	 * need be before and needs. Returns 0 or -ENOMEM. NULL: there is none.
	 */
	int (*head_init)(struct formatter *formatter, struct format_column *column);
	/*
	 * Prepares a column: sets write, and before; the rest is set. Returns 0, -ENOMEM, or
	 * FORMAT_COLUMN_UNNEEDED if records have the value without it.
	 */
	int (*column_init)(struct formatter *formatter, struct format_column *column,
			   const struct format_token *token);
	/*
	 * Appends a constant text of another schema, with its key. NULL: the format has only one
	 * schema.
	 */
	void (*append_constant)(struct buf *out, const char *key, const char *text);
	/*
	 * Appends the columns of a span, which is all or a part of a line without its newline.
	 * Returns false if there is nothing to print of the event.
	 */
	bool (*append)(struct formatter *formatter, const struct format_span *span,
		       const struct state_event *event, struct buf *out);
	/* Completes a line that began at `start`, but for its newline. */
	void (*end)(struct formatter *formatter, struct buf *out, size_t start);
	/*
	 * Ends a record that began at `start`, so that a reader finds the next one. NULL: a newline
	 * does.
	 */
	void (*delimit)(struct buf *out, size_t start);
	/* Called after formatter->scratch.style has changed; may be NULL. */
	void (*style_set)(struct formatter *formatter);
	/* The schema of formats that have only one; else NULL. */
	const struct schema *schema;
	/* How values are written, and how in another schema; NULL: not by an encoder. */
	const struct encoder *encoder, *schema_encoder;
	bool keyed; /* a column with an existing key is not added */
};

/* Lines of events that a rule matched. All zero: the format prints none. */
struct format_matches {
	/* Appends a format of what is printed before the output of the rule; may be NULL. */
	void (*append_format)(const struct format_rule *rule, struct buf *format);
	/* Appends the bytes that are the same in each line, for match->head; may be NULL. */
	void (*append_head)(const struct format_rule *rule, struct buf *head);
	/*
	 * Appends a line without its end: the output of the rule and what `fields` prints of the
	 * event, which is NULL only if with_fields is false.
	 */
	void (*append)(struct match_line *line, const struct state_event *event,
		       struct formatter *fields, struct buf *out);
	bool with_fields; /* the line has the fields of the event, too, without being asked to */
};

/* What streams of records need beside events. All zero: the format has none. */
struct format_records {
	/*
	 * Prepares the column that begins each record with its id, "STREAM-NUMBER": sets before and
	 * write. Returns 0 or -ENOMEM. NULL: records have no id.
	 */
	int (*id_column_init)(struct formatter *formatter, struct format_column *column,
			      const char *stream);
	/* Appends a drop record, ended as formatter_write() ends events. */
	void (*append_drop)(const struct format_drop *drop, struct buf *out);
	/* Appends an end record. */
	void (*append_end)(const struct format_end *end, struct buf *out);
	/*
	 * Appends a copy of a record with the mark that it may have arrived before. The record is
	 * one of formatter_write(), match_line_append(), append_drop() or append_end() in this
	 * schema; NULL: that of Lanner.
	 */
	void (*mark_redelivered)(const struct schema *schema, const char *record, size_t len,
				 struct buf *out);
	/*
	 * Calls `visit` for each text in a record, which may change its bytes but not their number.
	 * NULL: a record is one text.
	 */
	void (*visit_texts)(char *record, size_t len,
			    void (*visit)(void *context, char *text, size_t len), void *context);
};

/* Lists of fields and of events. All zero: the format prints none. */
struct format_lists {
	bool objects; /* an object of JSON for each entry; else */
	/* appends a table in lines of at most `width` columns if possible; 0: no limit. */
	void (*append_table)(const struct table *table, unsigned int width, struct buf *out);
};

struct output_format {
	const char *name; /* the word of -o */
	struct format_events events;
	struct format_matches matches;
	struct format_records records;
	struct format_lists lists;
	bool silent; /* prints nothing, on purpose */
	bool for_programs; /* nothing else may be printed between its lines */
};

/* Whether it is a format of captures; */
static inline bool output_format_has_events(const struct output_format *format)
{
	return format->events.append || format->silent;
}

/* whose records can have another schema; */
static inline bool output_format_has_schemas(const struct output_format *format)
{
	return format->events.append_constant;
}

/* and of lists. */
static inline bool output_format_has_lists(const struct output_format *format)
{
	return format->lists.objects || format->lists.append_table;
}

/* The table of formats. */

/* All formats, in the order of the help: the row of -o NAME is format_NAME, in NAME.c. */
#define OUTPUT_FORMATS(ROW)                                                                        \
	ROW(json)                                                                                  \
	ROW(text)                                                                                  \
	ROW(none)                                                                                  \
	ROW(protobuf)                                                                              \
	ROW(markdown)                                                                              \
	ROW(csv)

/* Those of kinds of outputs that name them, by the names in their rows: no words of -o. */
#define OUTPUT_FORMATS_OF_OUTPUTS(ROW)                                                             \
	ROW(otlp_metrics)                                                                          \
	ROW(otlp_proto)                                                                            \
	ROW(otlp_json)

#define OUTPUT_FORMAT_DECLARE(name) extern const struct output_format format_##name;
OUTPUT_FORMATS(OUTPUT_FORMAT_DECLARE)
OUTPUT_FORMATS_OF_OUTPUTS(OUTPUT_FORMAT_DECLARE)
#undef OUTPUT_FORMAT_DECLARE

/* The format of -o with this index, or NULL after the last one. */
const struct output_format *output_format_get(unsigned int i);

/* The format of -o of this name, or NULL; and that of outputs alone. */
const struct output_format *output_format_find(const char *name);
const struct output_format *output_format_find_of_outputs(const char *name);

#endif
