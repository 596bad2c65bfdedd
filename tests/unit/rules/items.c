/* SPDX-License-Identifier: MIT */
/* Items of rules files: their keys, what values these take, and items that change others. */
#include "rules_text.h"
#include "sinsp/filter/tree.h"
#include "unit.h"

static void test_keys(void **state)
{
	EXPECT("- rule: r\n  desc: d\n", "1:9 error has no 'condition'",
	       "1:9 error has no 'output'", "1:9 error has no 'priority'");
	EXPECT("- macro: m\n", "1:10 error has no 'condition'");
	EXPECT("- list: m\n", "1:9 error has no 'items'");
	EXPECT(RULE("evt.num=1") "  prioriti: x\n",
	       "6:3 warning no key 'prioriti', which is ignored; did you mean 'priority'?");
	EXPECT(RULE("evt.num=1") "  output: again\n", "6:3 error 'output' is given twice");
	EXPECT("- list: l\n  items: [a]\n  condition: x\n", "3:3 warning no key 'condition'");
	EXPECT("- rul: r\n", "1:3 error did you mean 'rule'?");
	EXPECT("- colour: red\n", "1:3 error needs 'rule', 'macro' or 'list'");
	EXPECT("- {}\n", "1:3 error expected an item");
	EXPECT("- rule\n", "1:3 error expected an item");
	EXPECT("rule: r\n", "1:1 error expected a sequence of items");
	EXPECT("- rule:\n", "1:8 error expected the name of the rule");
	EXPECT("- rule: [r]\n", "1:9 error expected the name of the rule");
}

static void test_values_of_keys(void **state)
{
	EXPECT("- list: l\n  items: a\n", "2:10 error 'items': expected a sequence of texts");
	EXPECT("- list: l\n  items: [a, [b]]\n", "2:14 error expected a text");
	EXPECT(RULE("[a]"), "2:14 error 'condition': expected a text");
	EXPECT(RULE(""), "2:13 error 'condition': expected a text");
	EXPECT(RULE("evt.num=1") "  enabled: maybe\n", "6:12 error expected true or false");
	EXPECT(RULE("evt.num=1") "  tags: {a: b}\n", "6:9 error expected a sequence of texts");
	EXPECT("- rule: r\n  condition: evt.num=1\n  output: x\n  priority: warn\n",
	       "4:13 error unknown priority 'warn'");
	EXPECT("- rule: r\n  condition: evt.num=1\n  output: x\n  priority: wraning\n",
	       "4:13 error unknown priority 'wraning'; did you mean 'Warning'?");
}

static void test_changes(void **state)
{
	EXPECT("- rule: r\n  append: true\n  condition: and evt.num=1\n",
	       "1:9 error there is no rule 'r' to change");
	EXPECT("- list: names\n  items: []\n- list: nmes\n  append: true\n  items: [a]\n",
	       "3:9 error there is no list 'nmes' to change before this; did you mean 'names'?");
	EXPECT("- rule: r\n  enabled: false\n", "1:9 error there is no rule 'r' to change");
	EXPECT(RULE("evt.num=1") "- rule: r\n  append: true\n  priority: error\n",
	       "8:3 warning 'priority' cannot be appended to");
	EXPECT(RULE("evt.num=1") "- rule: r\n  append: true\n  condition: and fd.nosuch=1\n",
	       "8:18 error fd.nosuch");
	EXPECT(RULE("evt.num=1") "- rule: r\n  priority: error\n  override: {priority: append}\n",
	       "8:24 error 'priority' cannot be appended to");
	EXPECT(RULE("evt.num=1") "- rule: r\n  source: x\n  override: {source: replace}\n",
	       "8:22 error 'source' cannot be replaced");
	EXPECT(RULE("evt.num=1") "- rule: r\n  output: a\n  override: {output: add}\n",
	       "8:22 error expected append or replace");
	EXPECT(RULE("evt.num=1") "- rule: r\n  output: a\n  override: {outpt: append}\n",
	       "7:3 error does not say whether 'output'", "8:14 error speaks of 'outpt'");
	EXPECT(RULE("evt.num=1") "- rule: r\n  append: true\n  override: {}\n  tags: [a]\n",
	       "8:3 error do not go together");
}

static void test_later_definitions_take_the_place(void **state)
{
	const struct rule *rules;
	struct loaded loaded;
	size_t n;

	load_texts(&loaded,
		   (const char *const[]){
			   "- list: l\n  items: [a]\n" NAMED_RULE("one", "proc.name in (l)")
				   NAMED_RULE("two", "evt.num=2"),
			   "- list: l\n  items: [b]\n" NAMED_RULE("one", "evt.num=1 and "
									 "proc.name in (l)"),
			   NULL});
	expect_condition(&loaded, "one", "(evt.num = 1 and proc.name in (b))");
	rules = rules_list(loaded.rules, &n);
	assert_int_equal(n, 2);
	assert_string_equal(rules[0].name, "one");
	assert_int_equal(loaded.counts.rules, 2);
	assert_int_equal(loaded.counts.lists, 1);
	unload(&loaded);
}

static void test_append(void **state)
{
	const struct rule *rule;
	struct loaded loaded;

	load_right(
		&loaded,
		"- list: l\n  items: [a]\n"
		"- macro: m\n  condition: evt.num=1\n" NAMED_RULE(
			"r", "m and proc.name in (l)") "  tags: [t]\n"
						       "- list: l\n  append: true\n  items: [b]\n"
						       "- macro: m\n  condition: or evt.num=2\n  "
						       "append: true\n"
						       "- rule: r\n  append: true\n  condition: "
						       "and evt.num > 0\n"
						       "  output: more\n  tags: [u]\n");
	expect_condition(&loaded, "r", "(m and proc.name in (a, b) and evt.num > 0)");
	rule = loaded_rule(&loaded, "r");
	assert_int_equal(rule->root->first->first->kind, FILTER_NODE_OR);
	assert_string_equal(rule->output, "out more");
	assert_int_equal(rule->ntags, 2);
	assert_string_equal(rule->tags[1], "u");
	unload(&loaded);
}

static void test_override(void **state)
{
	const struct rule *rule;
	struct loaded loaded;

	load_right(&loaded,
		   "- list: l\n  items: [a]\n- list: k\n  items: [a]\n"
		   "- macro: m\n  condition: evt.num=1\n" NAMED_RULE(
			   "r",
			   "m and proc.name in (l, k)") "  tags: [t]\n  enabled: false\n"
							"- list: l\n  items: [b]\n  override: "
							"{items: append}\n"
							"- list: k\n  items: [c]\n  override:\n    "
							"items: replace\n"
							"- macro: m\n  condition: evt.num=3\n  "
							"override: {condition: replace}\n"
							"- rule: r\n  condition: and evt.num > 0\n "
							" output: new\n  priority: error\n"
							"  tags: [u]\n  desc: x\n  enabled: true\n"
							"  override: {condition: append, output: "
							"replace, priority: replace,\n"
							"    tags: replace, desc: append, enabled: "
							"replace}\n");
	expect_condition(&loaded, "r", "(m and proc.name in (a, b, c) and evt.num > 0)");
	rule = loaded_rule(&loaded, "r");
	assert_string_equal(rule->root->first->text, "evt.num=3");
	assert_string_equal(rule->output, "new");
	assert_int_equal(rule->priority, PRIORITY_ERROR);
	assert_int_equal(rule->ntags, 1);
	assert_string_equal(rule->tags[0], "u");
	unload(&loaded);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_keys),	cmocka_unit_test(test_values_of_keys),
	cmocka_unit_test(test_changes), cmocka_unit_test(test_later_definitions_take_the_place),
	cmocka_unit_test(test_append),	cmocka_unit_test(test_override),
};

UNIT_GROUP(tests);
