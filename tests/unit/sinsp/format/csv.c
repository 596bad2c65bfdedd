/* SPDX-License-Identifier: MIT */
/* Lists as CSV: cells, quotes. */
#include "sinsp/format/csv.h"

#include <string.h>

#include "sinsp/format/output_format.h"
#include "unit.h"
#include "util/table.h"

static void quotes_what_needs_it(void **state)
{
	static const char *const cells[][2] = {
		{"", ""},
		{"a b", "a b"},
		{"a,b", "\"a,b\""},
		{"a\"b", "\"a\"\"b\""},
		{"a\nb", "\"a\nb\""},
		{"a\rb", "\"a\rb\""},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		buf_clear(&out);
		csv_append_cell(&out, cells[i][0], strlen(cells[i][0]));
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, cells[i][1]);
	}
	buf_finish(&out);
}

static void prints_tables(void **state)
{
	static const char *const titles[] = {"A", "B", NULL};
	struct table table;
	struct buf out = {0};

	table_init(&table, titles, 1);
	buf_append_string(&table.cells, "x,y");
	table_end_cell(&table);
	buf_append_string(&table.cells, "z");
	table_end_cell(&table);
	format_csv.lists.append_table(&table, 10, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "A,B\n\"x,y\",z\n");
	table_finish(&table);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(quotes_what_needs_it),
	cmocka_unit_test(prints_tables),
};

UNIT_GROUP(tests);
