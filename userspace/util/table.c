/* SPDX-License-Identifier: MIT */
/* The layout of tables. All texts are ASCII: a byte needs a column. */
#include "util/table.h"

/* A cell longer than CELL_MAX, in columns before the fold, is on a separate line. */
enum { GAP = 2, CELL_MAX = 26, FOLDED_MIN = 30 };

/* The layout of a table as text. */
struct layout {
	unsigned int widths[TABLE_COLUMNS_MAX];
	bool folded;
	unsigned int indent; /* folded: start of the columns after the fold, */
	unsigned int width; /* and their width */
};

void table_init(struct table *table, const char *const *titles, unsigned int fold)
{
	*table = (struct table){.titles = titles, .fold = fold};
	while (titles[table->columns])
		table->columns++;
}

void table_finish(struct table *table)
{
	buf_finish(&table->cells);
}

bool table_next_row(const struct table *table, const char **at, const char **cells)
{
	if (!table->cells.len || *at == table->cells.data + table->cells.len)
		return false;
	for (unsigned int i = 0; i < table->columns; i++) {
		cells[i] = *at;
		*at += strlen(*at) + 1;
	}
	return true;
}

static void widen(const struct table *table, const char *const *cells, unsigned int most,
		  struct layout *layout)
{
	for (unsigned int i = 0; i < table->columns; i++) {
		size_t len = strlen(cells[i]);

		if (len > most)
			len = 1; /* it is on a separate line, but the column exists */
		if (len > layout->widths[i])
			layout->widths[i] = (unsigned int)len;
	}
}

static struct layout widest(const struct table *table, unsigned int most)
{
	const char *at = table->cells.data, *cells[TABLE_COLUMNS_MAX];
	struct layout layout = {0};

	while (table_next_row(table, &at, cells))
		widen(table, cells, most, &layout);
	/* Columns without text are omitted. */
	for (unsigned int i = 0; i < table->columns; i++) {
		size_t len = strlen(table->titles[i]);

		if (layout.widths[i] && layout.widths[i] < len)
			layout.widths[i] = (unsigned int)len;
	}
	return layout;
}

static unsigned int columns_width(const struct layout *layout, unsigned int columns)
{
	unsigned int width = 0;

	for (unsigned int i = 0; i < columns; i++)
		width += layout->widths[i] ? layout->widths[i] + GAP : 0;
	return width;
}

static struct layout plan(const struct table *table, unsigned int width)
{
	struct layout layout = widest(table, UINT32_MAX);

	if (width == 0 || columns_width(&layout, table->columns) - GAP <= width)
		return layout;
	layout = widest(table, CELL_MAX);
	layout.folded = true;
	layout.indent = columns_width(&layout, table->fold);
	layout.width = width > layout.indent + FOLDED_MIN ? width - layout.indent : FOLDED_MIN;
	return layout;
}

static void append_blanks(struct buf *out, unsigned int n)
{
	while (n-- > 0)
		buf_append_char(out, ' ');
}

/* The number of bytes that fit in a line, up to a space unless a word is longer than the line. */
static unsigned int table_fitting(const char *text, unsigned int width)
{
	size_t len = strlen(text);
	unsigned int n = width;

	if (len <= width)
		return (unsigned int)len;
	while (n > 0 && text[n] != ' ')
		n--;
	return n ? n : (unsigned int)strcspn(text, " ");
}

/* Appends the text in lines; `column` is the start of the first one. */
static void append_wrapped(const struct layout *layout, const char *text, unsigned int *column,
			   struct buf *out)
{
	while (*text) {
		unsigned int n = table_fitting(text, layout->width);
		unsigned int end = layout->indent + (n < layout->width ? n : layout->width);
		unsigned int begin = end > n ? end - n : 0; /* a longer word begins further left */

		if (*column > begin) {
			buf_append_char(out, '\n');
			*column = 0;
		}
		append_blanks(out, begin - *column);
		buf_append(out, text, n);
		*column = begin + n;
		text += n + (text[n] == ' ');
	}
}

static void table_append_row(const struct table *table, const struct layout *layout,
			     const char *const *cells, struct buf *out)
{
	unsigned int aligned = layout->folded ? table->fold : table->columns, column = 0, end = 0;

	for (unsigned int i = 0; i < aligned; i++) {
		if (layout->widths[i] == 0)
			continue;
		append_blanks(out, end > column ? end - column : 0);
		column = column > end ? column : end;
		buf_append_string(out, cells[i]);
		column += (unsigned int)strlen(cells[i]);
		end += layout->widths[i] + GAP;
		/* A long name moves the next cells to the right. */
		if (column >= end && i + 1 < aligned) {
			append_blanks(out, GAP);
			column += GAP;
		}
	}
	for (unsigned int i = aligned; i < table->columns; i++)
		append_wrapped(layout, cells[i], &column, out);
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	buf_append_char(out, '\n');
}

/* Titles of folded columns are on one line. */
static void append_titles(const struct table *table, const struct layout *layout, struct buf *out)
{
	const char *cells[TABLE_COLUMNS_MAX];
	char memory[128];
	struct buf joined = buf_fixed(memory, sizeof(memory));

	for (unsigned int i = 0; i < table->columns; i++) {
		cells[i] = layout->folded && i >= table->fold ? "" : table->titles[i];
		if (!*cells[i] && layout->widths[i])
			buf_printf(&joined, "%s%s", joined.len ? ", " : "", table->titles[i]);
	}
	if (joined.len)
		cells[table->fold] = memory;
	table_append_row(table, layout, cells, out);
}

void table_append_text(const struct table *table, unsigned int width, struct buf *out)
{
	struct layout layout = plan(table, width);
	const char *at = table->cells.data, *cells[TABLE_COLUMNS_MAX];

	append_titles(table, &layout, out);
	while (table_next_row(table, &at, cells))
		table_append_row(table, &layout, cells, out);
}
