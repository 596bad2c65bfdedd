/* SPDX-License-Identifier: MIT */
/*
 * Tables as text: cells are collected first, to find the widths of columns; then printed for a
 * terminal or for a pipe.
 */
#ifndef UTIL_TABLE_H
#define UTIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

enum { TABLE_COLUMNS_MAX = 8 };

struct table {
	const char *const *titles; /* one for each column */
	unsigned int columns;
	/* If lines are too long, the columns from this one on are printed below each other. */
	unsigned int fold;
	struct buf cells; /* owned; each ends with a NUL, row by row */
};

/* `titles` ends with NULL and outlives the table. */
void table_init(struct table *table, const char *const *titles, unsigned int fold);
void table_finish(struct table *table);

/* Ends the cell whose text was appended to table->cells, which must have no control characters. */
static inline void table_end_cell(struct table *table)
{
	buf_append_char(&table->cells, '\0');
}

/* Appends lines of at most `width` columns if possible; 0: one line for each row. */
void table_append_text(const struct table *table, unsigned int width, struct buf *out);

/*
 * Stores the cells of the next row in `cells`, one for each column. at: table->cells.data for the
 * first row. Returns false after the last one.
 */
bool table_next_row(const struct table *table, const char **at, const char **cells);

#endif
