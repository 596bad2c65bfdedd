/* SPDX-License-Identifier: MIT */
/* Tables of Markdown: one line for each row, markup escaped. */
#include "sinsp/sinsp.h"
#include "unit.h"
#include "util/table.h"

static void add(struct table *table, const char *cell)
{
	buf_append_string(&table->cells, cell);
	table_end_cell(table);
}

static void expect(const struct table *table, unsigned int width, const char *wanted)
{
	struct buf out = {0};

	format_markdown.lists.append_table(table, width, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, wanted);
	buf_finish(&out);
}

static void test_table(void **state)
{
	static const char *const titles[] = {"NAME", "TYPE", "MEANING", NULL};
	static const char head[] = "| NAME | TYPE | MEANING |\n|---|---|---|\n";
	static const char whole[] = "| NAME | TYPE | MEANING |\n"
				    "|---|---|---|\n"
				    "| a\\_b\\[N] | a\\|b | \\*\\<x>\\\\ |\n"
				    "| c |  | many words in one line |\n";
	struct table table;

	table_init(&table, titles, 2);
	expect(&table, 0, head);
	add(&table, "a_b[N]");
	add(&table, "a|b");
	add(&table, "*<x>\\");
	add(&table, "c");
	add(&table, "");
	add(&table, "many words in one line");
	expect(&table, 0, whole);
	expect(&table, 10, whole);
	table_finish(&table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_table),
};

UNIT_GROUP(tests);
