/* SPDX-License-Identifier: MIT */
/* The rows of a view as text, JSON or CSV. */
#ifndef AGENT_RUN_VIEWER_PRINT_H
#define AGENT_RUN_VIEWER_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "views/engine.h"

struct redact;

/* How rows are printed. */
struct viewer_style {
	const struct output_format *format; /* text, json or csv */
	struct redact *redact; /* borrowed; NULL: secrets are shown */
	bool with_times; /* each table or object says the end of its interval */
	bool with_head; /* the titles, and of text what the view is */
	unsigned int width; /* of a terminal in columns: longer lines are cut; 0: no limit */
	unsigned int height; /* lines that there are for the table; 0: no limit */
	bool is_series; /* text: the head stands once, and lines begin with the time */
	/* Text: widths of columns, one for each of the view, which only grow. Borrowed. */
	unsigned int *widths;
};

/* A table: the rows of one interval. */
struct viewer_table {
	const struct views_view *view;
	const struct views_engine *engine;
	const struct views_rows *rows;
	uint64_t end_ns; /* of the interval, since the epoch; 0: no event was seen */
};

/* Appends whole lines; none in a format that has no rows of views. */
void viewer_print_table(const struct viewer_style *style, const struct viewer_table *table,
			struct buf *out);

#endif
