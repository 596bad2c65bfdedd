/* SPDX-License-Identifier: MIT */
/* The format csv: lists as RFC 4180 has them, with a line of titles. */
#include "sinsp/format/csv.h"

#include <string.h>

#include "sinsp/format/output_format.h"
#include "util/table.h"

/* Whether a cell needs no quotes. */
static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (memchr("\",\r\n", text[i], 4))
			return false;
	return true;
}

void csv_append_cell(struct buf *out, const char *text, size_t len)
{
	if (is_plain(text, len)) {
		buf_append(out, text, len);
		return;
	}
	buf_append_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			buf_append_char(out, '"');
		buf_append_char(out, text[i]);
	}
	buf_append_char(out, '"');
}

static void append_cells(const struct table *table, const char *const *cells, struct buf *out)
{
	for (unsigned int i = 0; i < table->columns; i++) {
		if (i)
			buf_append_char(out, ',');
		csv_append_cell(out, cells[i], strlen(cells[i]));
	}
	buf_append_char(out, '\n');
}

/* A row is one line, of any width. */
static void csv_append_table(const struct table *table, unsigned int width, struct buf *out)
{
	const char *at = table->cells.data, *cells[TABLE_COLUMNS_MAX];

	append_cells(table, table->titles, out);
	while (table_next_row(table, &at, cells))
		append_cells(table, cells, out);
}

const struct output_format format_csv = {
	.name = "csv",
	.lists = {.append_table = csv_append_table},
};
