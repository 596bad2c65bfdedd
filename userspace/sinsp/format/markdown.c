/* SPDX-License-Identifier: MIT */
/* Lists as tables of Markdown. */
#include <string.h>

#include "sinsp/format/formats.h"
#include "util/table.h"

static void append_row(const struct table *table, const char *const *cells, struct buf *out)
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
static void append_table(const struct table *table, unsigned int width, struct buf *out)
{
	const char *at = table->cells.data, *cells[TABLE_COLUMNS_MAX];

	append_row(table, table->titles, out);
	for (unsigned int i = 0; i < table->columns; i++)
		BUF_LITERAL(out, "|---");
	BUF_LITERAL(out, "|\n");
	while (table_next_row(table, &at, cells))
		append_row(table, cells, out);
}

const struct output_format format_markdown = {
	.name = "markdown",
	.lists = {.append_table = append_table},
};
