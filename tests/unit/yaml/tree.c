/* SPDX-License-Identifier: MIT */
/* Files as trees of YAML: the forms that it has, what is not YAML, and limits. */
#include <errno.h>

#include "rules_text.h"
#include "unit.h"
#include "yaml/tree.h"

static void test_forms_of_yaml(void **state)
{
	struct loaded loaded;

	load_right(&loaded, "\xef\xbb\xbf# with a byte order mark\r\n"
			    "- list: &anchor names\r\n  items: &items\r\n  - a\r\n  - b\r\n"
			    "- list: others\r\n  items: *items\r\n"
			    "---\n"
			    "- {rule: r, desc: \"\\u00e4\", "
			    "condition: 'proc.name in (others)\n\n  or evt.num=1', output: out, "
			    "priority: info}\n"
			    "...\n"
			    "---\n"
			    "# nothing\n");
	expect_condition(&loaded, "r", "(proc.name in (a, b) or evt.num = 1)");
	unload(&loaded);
}

static void test_not_yaml(void **state)
{
	EXPECT("- rule: r\n  condition: >\n\tx\n", "3:1 error found a tab");
	EXPECT("- rule: r\n\tcondition: x\n", "2:1 error found a tab");
	EXPECT("\t- rule: r\n", "1:1 error indented with a tab");
	EXPECT("- rule: [r\n", "2:1 error not YAML");
	EXPECT("- rule: 'r\n", "2:1 error not YAML");
	EXPECT("- rule: r\n desc: d\n", "2:2 error not YAML");
	EXPECT("- rule: *nosuch\n", "1:9 error alias without an anchor");
	EXPECT("- &a [*a]\n", "1:7 error alias to what it stands in");
	EXPECT("- rule: caf\xe9\n", "1:12 error not UTF-8");
	EXPECT("- rule: \"a\\0b\"\n", "1:9 error NUL");
	EXPECT("- rule: a\x01\n", "1:10 error cannot stand in YAML");
	EXPECT("- {[a]: b}\n", "1:4 error a key must be a word");
	EXPECT("\xff\xfe-\n", "1:1 error not UTF-8");
}

static void test_raw_nul(void **state)
{
	static const char text[] = "- list: l\n  items: [a\0b]\n";
	const struct rules_input input = {"a.yaml", text, sizeof(text) - 1};
	const struct rules_options options = {.least = PRIORITY_DEBUG};
	struct yaml_report report;
	struct rules_counts counts;
	struct rules *rules;

	assert_int_equal(rules_load(&input, 1, &options, &rules, &counts, &report), -EINVAL);
	assert_int_equal(report.messages[0].line, 2);
	assert_int_equal(report.messages[0].column, 12);
	yaml_report_finish(&report);
}

/* Each name stands in the next definition, twice. */
static void append_alias(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- &a0 [x, x]\n");
	else
		buf_printf(out, "- &a%zu [*a%zu, *a%zu]\n", i, i - 1, i - 1);
}

static void append_bracket(struct buf *out, size_t i)
{
	buf_append_char(out, '[');
}

static void test_limits(void **state)
{
	expect_limit(repeat(64, append_alias), "too many values");
	expect_limit(repeat(100000, append_bracket), "nested too deeply");
}

/* Sizes count what aliases stand for; offsets are those of the file. */
static void test_nodes(void **state)
{
	static const char text[] = "- &a [x, 'y']\n- {k: *a}\n- ~\n---\nnull\n";
	const struct yaml_node *sequence, *mapping;
	struct yaml_report report = {0};
	struct arena arena = {0};
	struct yaml_link *roots;
	struct yaml_file file;

	assert_int_equal(yaml_file_copy("a.yaml", text, sizeof(text) - 1, &file, NULL), 0);
	assert_int_equal(yaml_tree_read(&file, &arena, &report, &roots), 0);
	assert_int_equal(roots->value->kind, YAML_SEQUENCE);
	assert_int_equal(roots->value->size, 10);
	sequence = roots->value->first->value;
	assert_int_equal(sequence->size, 3);
	assert_int_equal(sequence->start, 2);
	assert_int_equal(sequence->end, 13);
	assert_int_equal(sequence->first->value->style, YAML_PLAIN);
	assert_int_equal(sequence->first->next->value->style, YAML_SINGLE_QUOTED);
	assert_int_equal(sequence->first->next->value->start, 9);
	mapping = roots->value->first->next->value;
	assert_int_equal(mapping->kind, YAML_MAPPING);
	assert_string_equal(mapping->first->key->text, "k");
	assert_ptr_equal(mapping->first->value, sequence);
	assert_true(yaml_is_null(roots->value->first->next->next->value));
	assert_true(yaml_is_null(roots->next->value));
	assert_false(yaml_is_null(sequence));
	assert_null(roots->next->next);
	assert_int_equal(report.count, 0);
	arena_finish(&arena);
	yaml_file_finish(&file);
}

static void test_booleans(void **state)
{
	static const struct {
		const char *text;
		int value; /* -1: none */
	} rows[] = {
		{"true", 1},  {"TRUE", 1},  {"yes", 1},	 {"On", 1},	{"y", 1},
		{"false", 0}, {"False", 0}, {"no", 0},	 {"off", 0},	{"N", 0},
		{"", -1},     {"1", -1},    {"tru", -1}, {"truex", -1}, {"null", -1},
	};
	bool value;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		value = !rows[i].value;
		assert_int_equal(yaml_bool_read(rows[i].text, &value), rows[i].value >= 0);
		assert_int_equal(value, rows[i].value == 1);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms_of_yaml), cmocka_unit_test(test_not_yaml),
	cmocka_unit_test(test_raw_nul),	      cmocka_unit_test(test_limits),
	cmocka_unit_test(test_nodes),	      cmocka_unit_test(test_booleans),
};

UNIT_GROUP(tests);
