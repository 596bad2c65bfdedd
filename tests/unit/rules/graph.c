/* SPDX-License-Identifier: MIT */
/* The order of definitions that name each other, and those that contain themselves. */
#include <stdio.h>

#include "rules_text.h"
#include "rules/defs.h"
#include "unit.h"

enum { ENTRIES = 2000 };

struct graph {
	struct yaml_file file;
	struct yaml_report report;
	struct rules_defs defs;
	struct yaml_node names[ENTRIES];
	struct rules_entry *entries[ENTRIES];
};

/* Lists without references. Each stands at the offset of its number. */
static void begin(struct graph *graph, size_t n)
{
	static const char text[ENTRIES];

	*graph = (struct graph){0};
	assert_int_equal(yaml_file_copy("a.yaml", text, n, &graph->file, NULL), 0);
	rules_defs_init(&graph->defs, &graph->report);
	for (size_t i = 0; i < n; i++) {
		char name[16];
		int len = snprintf(name, sizeof(name), "n%zu", i);

		graph->names[i] = (struct yaml_node){.file = &graph->file, .start = (uint32_t)i};
		graph->names[i].text = arena_text(&graph->defs.arena, name, (size_t)len);
		graph->entries[i] = rules_defs_add(&graph->defs, RULES_LIST, &graph->names[i]);
		assert_non_null(graph->entries[i]);
	}
}

static void end(struct graph *graph)
{
	rules_defs_finish(&graph->defs);
	yaml_report_finish(&graph->report);
	yaml_file_finish(&graph->file);
}

static void refer(struct graph *graph, size_t from, size_t to)
{
	const struct rules_ref ref = {.to = graph->entries[to], .item = &graph->names[from]};

	assert_int_equal(rules_graph_add(&graph->defs, graph->entries[from], &ref), 0);
}

/* Puts the names in their order into one text. */
static void expect_names(const struct rules_entry *first, const char *names)
{
	struct buf out = {0};

	for (const struct rules_entry *entry = first; entry; entry = entry->ordered)
		buf_printf(&out, "%s ", entry->name);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, names);
	buf_finish(&out);
}

static void test_order(void **state)
{
	static struct graph graph;
	struct rules_entry *first;

	begin(&graph, 5);
	refer(&graph, 0, 3);
	refer(&graph, 3, 1);
	refer(&graph, 4, 1);
	refer(&graph, 4, 3);
	first = rules_graph_order(&graph.defs, 1u << RULES_LIST);
	expect_names(first, "n1 n3 n0 n2 n4 ");
	first = rules_graph_reverse(first);
	expect_names(first, "n4 n2 n0 n3 n1 ");
	expect_names(rules_graph_reverse(first), "n1 n3 n0 n2 n4 ");
	assert_true(graph.entries[1]->used);
	assert_false(graph.entries[4]->used);
	assert_int_equal(graph.report.count, 0);
	end(&graph);
}

static void test_other_kinds(void **state)
{
	static struct graph graph;

	begin(&graph, 2);
	assert_null(rules_graph_order(&graph.defs, 1u << RULES_MACRO | 1u << RULES_RULE));
	assert_null(rules_graph_reverse(NULL));
	graph.entries[0]->kind = RULES_RULE;
	expect_names(rules_graph_order(&graph.defs, 1u << RULES_RULE), "n0 ");
	expect_names(rules_graph_order(&graph.defs, 1u << RULES_LIST), "n1 ");
	end(&graph);
}

/* All of the circle are broken, those that only name it are not; and all are in the order. */
static void test_broken(void **state)
{
	static struct graph graph;

	begin(&graph, 4);
	refer(&graph, 0, 1);
	refer(&graph, 1, 2);
	refer(&graph, 2, 1);
	expect_names(rules_graph_order(&graph.defs, 1u << RULES_LIST), "n2 n1 n0 n3 ");
	assert_false(graph.entries[0]->broken);
	assert_true(graph.entries[1]->broken);
	assert_true(graph.entries[2]->broken);
	assert_false(graph.entries[3]->broken);
	assert_int_equal(graph.report.count, 1);
	assert_int_equal(graph.report.messages[0].column, 3);
	end(&graph);
}

/* Each names the one behind it, the last one the first: no recursion, and all are broken. */
static void test_long_chain(void **state)
{
	static struct graph graph;
	struct rules_entry *first;
	size_t n = 0;

	begin(&graph, ENTRIES);
	for (size_t i = 0; i < ENTRIES; i++)
		refer(&graph, i, (i + 1) % ENTRIES);
	first = rules_graph_order(&graph.defs, 1u << RULES_LIST);
	for (const struct rules_entry *entry = first; entry; entry = entry->ordered, n++) {
		assert_ptr_equal(entry, graph.entries[ENTRIES - 1 - n]);
		assert_true(entry->broken);
	}
	assert_int_equal(n, ENTRIES);
	assert_int_equal(graph.report.counts[YAML_ERROR], 1);
	end(&graph);
}

static void test_circles(void **state)
{
	EXPECT("- macro: m\n  condition: evt.num=1 or m\n" RULE("m"),
	       "2:27 error the macro 'm' contains itself");
	EXPECT("- macro: a\n  condition: b\n- macro: b\n  condition: evt.num=1 and not c\n"
	       "- macro: c\n  condition: a\n" RULE("a or b"),
	       "6:14 error the macro 'a' contains itself: 'c' is in it, and names it here");
	EXPECT("- list: a\n  items: [x, b]\n- list: b\n  items: [a]\n" RULE("proc.name in (a)"),
	       "4:11 error the list 'a' contains itself: 'b' is in it");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),	cmocka_unit_test(test_other_kinds),
	cmocka_unit_test(test_broken),	cmocka_unit_test(test_long_chain),
	cmocka_unit_test(test_circles),
};

UNIT_GROUP(tests);
