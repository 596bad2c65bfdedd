/* SPDX-License-Identifier: MIT */
/*
 * A view: what events are counted by and what of them is counted, as its file of YAML says. Fields
 * are resolved when the file is read; nothing is looked up by name later. The engine (engine.h)
 * counts by it.
 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/sinsp.h"
#include "util/arena.h"
#include "yaml/report.h"

enum {
	VIEWS_KEYS_MAX = 12,
	VIEWS_VALUES_MAX = 16,
	VIEWS_COLUMNS_MAX = VIEWS_KEYS_MAX + VIEWS_VALUES_MAX,
	VIEWS_ARGS_MAX = 4,
	VIEWS_FILE_BYTES_MAX = 64 << 10,
	VIEWS_GROUPS_DEFAULT = 1 << 16,
	VIEWS_LIMIT_MAX = 1 << 20,
};

/* How rows are shown. */
enum views_kind {
	VIEWS_TABLE, /* a row for each group of keys */
	VIEWS_LIST, /* a row for each event */
	VIEWS_HISTOGRAM, /* the buckets of a value, below each other */
	VIEWS_HEATMAP, /* the same beside each other, a line for each interval */
	VIEWS_KINDS_COUNT,
};

/* What is made of the values that the events of a group have. */
enum views_aggregate {
	VIEWS_COUNT, /* events; with a field, those that have a value of it */
	VIEWS_SUM,
	VIEWS_MEAN,
	VIEWS_MIN,
	VIEWS_MAX,
	VIEWS_LAST,
	VIEWS_DISTINCT, /* how many different ones */
	VIEWS_RATE, /* the sum, or the count, for each second */
	VIEWS_PERCENTILE,
	VIEWS_HISTOGRAM_OF,
	VIEWS_AGGREGATES_COUNT,
};

/* How a number is shown to people. */
enum views_unit {
	VIEWS_PLAIN,
	VIEWS_BYTES,
	VIEWS_DURATION, /* of ns */
	VIEWS_PERCENT,
	VIEWS_SHARE, /* of ns in each second: percent of one CPU */
	/* As other programs print them: */
	VIEWS_SECONDS, /* of ns */
	VIEWS_MILLISECONDS,
	VIEWS_MICROSECONDS,
	VIEWS_KILOBYTES, /* of bytes */
	VIEWS_DESCRIPTOR, /* of a result: -1 for an error */
	VIEWS_EXIT, /* of the status of a process: "0", "code 3", "signal 9 (SIGKILL)" */
	VIEWS_ERRNO, /* of a result: the number of the error, 0 without one */
	VIEWS_UNITS_COUNT,
};

/* What the values of a field are for an aggregate. */
enum views_number {
	VIEWS_NO_NUMBER,
	VIEWS_SIGNED,
	VIEWS_UNSIGNED, /* above INT64_MAX a value counts as that */
	VIEWS_REAL,
};

struct views_field {
	struct field_ref ref; /* without desc: none */
	bool (*is_known)(const struct state_event *event); /* NULL: always */
	enum views_number number;
};

struct views_key {
	struct views_field field;
	const char *name; /* the field as it was written: the key in JSON */
	const char *title; /* of the column */
	enum views_unit unit; /* of a field of numbers */
	bool skips; /* an event without a value is not counted; else it is in a row with none */
};

/* Buckets of one width, in the unit of the value; width 0: they are powers of two. */
struct views_scale {
	uint64_t min, max, width; /* a bucket begins at min, and none goes beyond max */
};

/* With one for what is below them and one for what is above: counts of so many are exact. */
enum { VIEWS_STEPS_MAX = 126 };

struct views_value {
	const char *name; /* the key in JSON */
	const char *title;
	enum views_aggregate aggregate;
	enum views_unit unit;
	struct views_field field;
	double percentile; /* above 0, up to 100 */
	struct views_scale scale; /* of VIEWS_HISTOGRAM_OF */
	struct filter *only; /* owned: what counts; NULL: all events of the view */
	uint8_t cell; /* the index of what is kept of a group: several values may share it */
};

/* A column, or what rows are sorted by: a key or a value. */
struct views_column {
	bool is_value;
	uint8_t index;
	bool descending; /* of an order */
};

/* A word that an argument can be, and the text for it. */
struct views_word {
	const char *word, *text;
};

/* A word that the user gives, and that stands in the file as ${NAME}. */
struct views_arg {
	const char *name;
	const char *otherwise; /* the default; NULL: it has to be given */
	const char *example; /* what the file is checked with */
	const struct views_word *words; /* what it can be alone, ends with NULL; NULL: any */
};

struct views_view {
	struct arena arena; /* of all texts */
	const char *name; /* as commands name it */
	const char *title, *question, *description; /* "": none */
	const char *approximates; /* in what it differs from what its name says; "": in nothing */
	const char *filter; /* NULL: all events */
	enum views_kind kind;
	struct views_key keys[VIEWS_KEYS_MAX];
	struct views_value values[VIEWS_VALUES_MAX];
	struct views_column columns[VIEWS_COLUMNS_MAX]; /* as people see them */
	struct views_column order[VIEWS_COLUMNS_MAX];
	struct views_arg args[VIEWS_ARGS_MAX];
	uint8_t keys_count, values_count, columns_count, order_count, args_count, cells_count;
	uint32_t limit; /* of rows that are shown; 0: none */
	uint32_t groups_max; /* of groups that are kept */
	uint64_t interval_ns; /* from one table to the next; 0: as the user likes */
	const char **drill; /* names of views that a row leads to; ends with NULL */
};

/* What a view is read with. */
struct views_config {
	const char *const *args; /* values, in the order of view->args; NULL: the default */
	size_t args_count;
	bool checks; /* arguments that have no value have their example */
	/* Fields that become the first keys, unless they are, and titles of their columns. */
	const struct views_first_key {
		const char *field, *title;
	} * keys;
	size_t keys_count;
};

/*
 * Reads a view from its file, which may be finished then. All mistakes are in the report. Returns
 * 0, -EINVAL with errors in the report, or -ENOMEM; destroy the view with views_view_destroy().
 */
int views_view_read(const struct yaml_file *file, const struct views_config *config,
		    struct views_view **view, struct yaml_report *report);
void views_view_destroy(struct views_view *view); /* accepts NULL */

/*
 * Sorts by these names of keys and values with commas between them; with "-" in front the other way
 * round: values are descending by themselves, keys ascending. Returns 0, or -EINVAL with a message.
 */
int views_view_sort(struct views_view *view, const char *names, struct error *err);

/* The text that stands for a word of an argument that has words; NULL: it has no such word. */
const char *views_arg_text(const struct views_arg *arg, const char *word);

/* The state that keys, values and their filters need: enum field_needs bits. */
unsigned int views_view_needs(const struct views_view *view);

/* The words of a file, for lists. The i-th one, or NULL. */
const char *views_kind_name(enum views_kind kind);

/* The title of a column. */
static inline const char *views_column_title(const struct views_view *view,
					     const struct views_column *column)
{
	return column->is_value ? view->values[column->index].title
				: view->keys[column->index].title;
}

/* What a column is called in JSON. */
static inline const char *views_column_name(const struct views_view *view,
					    const struct views_column *column)
{
	return column->is_value ? view->values[column->index].name : view->keys[column->index].name;
}

/* Whether a value is made of buckets: not one number. */
static inline bool views_value_has_buckets(const struct views_value *value)
{
	return value->aggregate == VIEWS_HISTOGRAM_OF;
}

#endif
