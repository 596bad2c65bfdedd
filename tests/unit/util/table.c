/* SPDX-License-Identifier: MIT */
/* Tables: aligned in a pipe, folded on a narrow terminal. */
#include "unit.h"
#include "util/table.h"

static const char *const titles[] = {"NAME", "TYPE", "MEANING", "EXAMPLE", NULL};

static void add(struct table *table, const char *cell)
{
	buf_append_string(&table->cells, cell);
	table_end_cell(table);
}

static void add_row(struct table *table, const char *name, const char *type, const char *meaning,
		    const char *example)
{
	add(table, name);
	add(table, type);
	add(table, meaning);
	add(table, example);
}

static void expect_text(const struct table *table, unsigned int width, const char *expected)
{
	struct buf out = {0};

	table_append_text(table, width, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void test_one_line_a_row(void **state)
{
	static const char expected[] = "NAME       TYPE    MEANING     EXAMPLE\n"
				       "a.b        number  says a lot  a.b=1\n"
				       "long.name  text\n";
	struct table table;

	table_init(&table, titles, 2);
	add_row(&table, "a.b", "number", "says a lot", "a.b=1");
	add_row(&table, "long.name", "text", "", "");
	expect_text(&table, 0, expected);
	expect_text(&table, 38, expected);
	table_finish(&table);
}

static void test_folded(void **state)
{
	struct table table;

	table_init(&table, titles, 2);
	add_row(&table, "a.b", "number", "more words than fit in one line of that width", "a.b=1");
	add_row(&table, "a.name.of.more.than.26.bytes", "text", "short",
		"a.word.that.is.longer.than.a.line.is.not.cut and rest");
	expect_text(&table, 45,
		    "NAME  TYPE    MEANING, EXAMPLE\n"
		    "a.b   number  more words than fit in one line\n"
		    "              of that width\n"
		    "              a.b=1\n"
		    "a.name.of.more.than.26.bytes  text\n"
		    "              short\n"
		    " a.word.that.is.longer.than.a.line.is.not.cut\n"
		    "              and rest\n");
	table_finish(&table);
}

static void test_empty(void **state)
{
	struct table table;

	table_init(&table, titles, 2);
	expect_text(&table, 80, "\n");
	add_row(&table, "a", "", "something that takes a whole line", "");
	expect_text(&table, 0, "NAME  MEANING\na     something that takes a whole line\n");
	expect_text(&table, 36, "NAME  MEANING\na     something that takes a whole\n      line\n");
	table_finish(&table);
}

static void test_rows(void **state)
{
	const char *at, *cells[TABLE_COLUMNS_MAX];
	struct table table;

	table_init(&table, titles, 2);
	at = table.cells.data;
	assert_false(table_next_row(&table, &at, cells));
	add_row(&table, "a", "", "b", "c");
	add_row(&table, "", "", "", "d");
	at = table.cells.data;
	assert_true(table_next_row(&table, &at, cells));
	assert_string_equal(cells[0], "a");
	assert_string_equal(cells[1], "");
	assert_string_equal(cells[3], "c");
	assert_true(table_next_row(&table, &at, cells));
	assert_string_equal(cells[0], "");
	assert_string_equal(cells[3], "d");
	assert_false(table_next_row(&table, &at, cells));
	table_finish(&table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_line_a_row),
	cmocka_unit_test(test_folded),
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_rows),
};

UNIT_GROUP(tests);
