/* SPDX-License-Identifier: MIT */
/* Rules files that are right: every key, names of lists and macros, later items, exceptions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "rules_text.h"
#include "sinsp/expr/tree.h"

/* A rule with a condition, and what may follow it. */
#define RULE(name, condition)                                                                      \
	"- rule: " name "\n  desc: d\n  condition: " condition "\n  output: out\n  priority: info\n"

static void test_every_key(void **state)
{
	struct loaded loaded;
	const struct rule *rule;

	load_right(&loaded, "- required_engine_version: 0.31.0\n"
			    "- required_plugin_versions:\n  - {name: k8s, version: 1.0.0}\n"
			    "- rule: All of it\n"
			    "  desc: what it is\n"
			    "  condition: evt.type=open\n"
			    "  output: opened %fd.name\n"
			    "  priority: WARNING\n"
			    "  tags: [a, b]\n"
			    "  enabled: true\n"
			    "  source: syscall\n"
			    "  exceptions: []\n"
			    "  warn_evttypes: false\n"
			    "  skip-if-unknown-filter: no\n"
			    "  capture: false\n"
			    "  capture_duration: 5000\n");
	rule = loaded_rule(&loaded, "All of it");
	assert_string_equal(rule->output, "opened %fd.name");
	assert_int_equal(rule->priority, PRIORITY_WARNING);
	assert_int_equal(rule->ntags, 2);
	assert_string_equal(rule->tags[0], "a");
	assert_string_equal(rule->tags[1], "b");
	expect_condition(&loaded, "All of it", "evt.type = open");
	assert_int_equal(loaded.report.counts[RULES_NOTE], 2);
	unload(&loaded);
}

static void test_priorities(void **state)
{
	static const struct {
		const char *word;
		int priority; /* -1: none */
	} cases[] = {
		{"emergency", PRIORITY_EMERGENCY}, {"Alert", PRIORITY_ALERT},
		{"CRITICAL", PRIORITY_CRITICAL}, {"error", PRIORITY_ERROR},
		{"warning", PRIORITY_WARNING}, {"notice", PRIORITY_NOTICE},
		{"info", PRIORITY_INFORMATIONAL}, {"Informational", PRIORITY_INFORMATIONAL},
		{"debug", PRIORITY_DEBUG}, {"", -1}, {"low", -1}, {"informationa", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum rules_priority priority = PRIORITIES_COUNT;
		int code = rules_priority_read(cases[i].word, &priority);

		assert_int_equal(code != 0, cases[i].priority < 0);
		if (code == 0)
			assert_int_equal(priority, cases[i].priority);
	}
}

static void test_lists_expand(void **state)
{
	struct loaded loaded;

	load_right(&loaded, "- list: inner\n  items: [b, \"c d\", '\"e f\"']\n"
			    "- list: outer\n  items: [a, inner, later, outer]\n"
			    "- list: later\n  items: [z]\n"
			    "- list: none\n  items: []\n"
			    RULE("brackets", "proc.name in (outer, x)")
			    RULE("bare", "proc.name in inner")
			    RULE("path", "fd.name pmatch (inner)")
			    RULE("modifier", "proc.name startswith anyof (x, inner)")
			    RULE("quoted", "proc.name in (\"inner\")")
			    RULE("equal", "proc.name = inner")
			    RULE("empty", "proc.name in (none) or proc.name in (a, none, b)"));
	expect_condition(&loaded, "brackets",
			 "proc.name in (a, b, \"c d\", \"e f\", z, outer, x)");
	expect_condition(&loaded, "bare", "proc.name in (b, \"c d\", \"e f\")");
	expect_condition(&loaded, "path", "fd.name pmatch (b, \"c d\", \"e f\")");
	expect_condition(&loaded, "modifier",
			 "proc.name startswith anyof (x, b, \"c d\", \"e f\")");
	expect_condition(&loaded, "quoted", "proc.name in (inner)");
	expect_condition(&loaded, "equal", "proc.name = inner");
	expect_condition(&loaded, "empty", "(proc.name in () or proc.name in (a, b))");
	unload(&loaded);
}

static void test_macros_are_shared(void **state)
{
	const struct filter_node *first, *second;
	struct loaded loaded;

	load_right(&loaded, RULE("one", "inner and evt.num=1") RULE("two", "not inner")
			    "- macro: inner\n  condition: deep or evt.num=2\n"
			    "- macro: deep\n  condition: evt.num=3\n");
	first = loaded_rule(&loaded, "one")->root;
	second = loaded_rule(&loaded, "two")->root;
	assert_int_equal(first->kind, FILTER_NODE_AND);
	assert_int_equal(first->first->kind, FILTER_NODE_SHARED);
	assert_int_equal(first->first->first->kind, FILTER_NODE_OR);
	assert_int_equal(first->first->first->first->kind, FILTER_NODE_SHARED);
	assert_string_equal(first->first->text, "deep or evt.num=2");
	assert_ptr_equal(first->first->first, second->first->first);
	unload(&loaded);
}

static void test_later_definitions_take_the_place(void **state)
{
	const struct rule *rules;
	struct loaded loaded;
	size_t n;

	load_texts(&loaded, (const char *const[]){
				    "- list: l\n  items: [a]\n" RULE("one", "proc.name in (l)")
					    RULE("two", "evt.num=2"),
				    "- list: l\n  items: [b]\n" RULE("one", "evt.num=1 and "
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

	load_right(&loaded, "- list: l\n  items: [a]\n"
			    "- macro: m\n  condition: evt.num=1\n"
			    RULE("r", "m and proc.name in (l)") "  tags: [t]\n"
			    "- list: l\n  append: true\n  items: [b]\n"
			    "- macro: m\n  condition: or evt.num=2\n  append: true\n"
			    "- rule: r\n  append: true\n  condition: and evt.num > 0\n"
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
		   "- macro: m\n  condition: evt.num=1\n"
		   RULE("r", "m and proc.name in (l, k)") "  tags: [t]\n  enabled: false\n"
		   "- list: l\n  items: [b]\n  override: {items: append}\n"
		   "- list: k\n  items: [c]\n  override:\n    items: replace\n"
		   "- macro: m\n  condition: evt.num=3\n  override: {condition: replace}\n"
		   "- rule: r\n  condition: and evt.num > 0\n  output: new\n  priority: error\n"
		   "  tags: [u]\n  desc: x\n  enabled: true\n"
		   "  override: {condition: append, output: replace, priority: replace,\n"
		   "    tags: replace, desc: append, enabled: replace}\n");
	expect_condition(&loaded, "r", "(m and proc.name in (a, b, c) and evt.num > 0)");
	rule = loaded_rule(&loaded, "r");
	assert_string_equal(rule->root->first->text, "evt.num=3");
	assert_string_equal(rule->output, "new");
	assert_int_equal(rule->priority, PRIORITY_ERROR);
	assert_int_equal(rule->ntags, 1);
	assert_string_equal(rule->tags[0], "u");
	unload(&loaded);
}

static void test_rules_that_do_not_run(void **state)
{
	struct loaded loaded;
	size_t n;

	load_right(&loaded, RULE("off", "evt.num=1") "  enabled: false\n"
			    RULE("later off", "evt.num=1")
			    "- rule: later off\n  enabled: false\n"
			    RULE("foreign", "ka.verb=get") "  source: k8s_audit\n"
			    RULE("unknown", "evt.num=1 and fd.nosuch=2")
			    "  skip-if-unknown-filter: true\n"
			    RULE("unknown inside", "inner") "  skip-if-unknown-filter: true\n"
			    "- macro: inner\n  condition: fd.nosuch=1\n"
			    "- macro: audit\n  condition: ka.verb=get\n"
			    RULE("foreign too", "audit") "  source: k8s_audit\n");
	rules_list(loaded.rules, &n);
	assert_int_equal(n, 0);
	assert_int_equal(loaded.counts.disabled, 2);
	assert_int_equal(loaded.counts.foreign, 2);
	assert_int_equal(loaded.counts.unknown, 2);
	unload(&loaded);
}

static void test_exceptions(void **state)
{
	struct loaded loaded;

	load_right(&loaded,
		   "- list: files\n  items: [/bin/ls, /bin/rm]\n"
		   RULE("r", "evt.num=1")
		   "  exceptions:\n"
		   "  - name: tuples\n    fields: [proc.name, fd.directory]\n"
		   "    comps: [=, startswith]\n"
		   "    values:\n    - [yum, /usr]\n    - [apt, \"/va r\"]\n"
		   "  - name: default_comps\n    fields: [proc.name, evt.num]\n"
		   "    values: [[a, 3]]\n"
		   "  - name: sets\n    fields: [proc.name, fd.name]\n    comps: [in, pmatch]\n"
		   "    values:\n    - [x, [files]]\n    - [[y, z], [/tmp, files]]\n"
		   "    - [\"('a b', files)\", (files)]\n    - [\"('files')\", files]\n"
		   "  - name: single\n    fields: fd.filename\n"
		   "  - name: single_comp\n    fields: tolower(proc.name)\n    comps: intersects\n"
		   "    values: [files, q]\n"
		   "  - name: without\n    fields: [proc.name]\n"
		   "- rule: r\n  append: true\n  exceptions:\n"
		   "  - name: single\n    values: [python, go]\n"
		   "  - name: tuples\n    values: [[npm, /n]]\n"
		   "  - name: new\n    fields: [proc.pname]\n    values: [[init]]\n");
	expect_condition(&loaded, "r",
			 "(evt.num = 1 and not ("
			 "(proc.name = yum and fd.directory startswith /usr) or "
			 "(proc.name = apt and fd.directory startswith \"/va r\") or "
			 "(proc.name = npm and fd.directory startswith /n) or "
			 "(proc.name = a and evt.num = 3) or "
			 "(proc.name in (x) and fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "(proc.name in (y, z) and fd.name pmatch (/tmp, /bin/ls, /bin/rm)) or "
			 "(proc.name in (\"a b\", /bin/ls, /bin/rm) and "
			 "fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "(proc.name in (files) and fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "fd.filename in (python, go) or "
			 "tolower(proc.name) intersects (/bin/ls, /bin/rm, q) or "
			 "proc.pname = init))");
	unload(&loaded);
}

static void test_replaced_exceptions(void **state)
{
	struct loaded loaded;

	load_right(&loaded, RULE("r", "evt.num=1 or evt.num=2")
		   "  exceptions: [{name: a, fields: [proc.name], values: [[x]]}]\n"
		   "- rule: r\n  exceptions: [{name: b, fields: proc.name, values: [y]}]\n"
		   "  override: {exceptions: replace}\n");
	expect_condition(&loaded, "r",
			 "((evt.num = 1 or evt.num = 2) and not proc.name in (y))");
	unload(&loaded);
}

static void test_forms_of_yaml(void **state)
{
	struct loaded loaded;

	load_right(&loaded, "\xef\xbb\xbf# with a byte order mark\r\n"
			    "- list: &anchor names\r\n  items: &items\r\n  - a\r\n  - b\r\n"
			    "- list: others\r\n  items: *items\r\n"
			    "---\n"
			    "- {rule: r, desc: \"\\u00e4\", "
			    "condition: 'proc.name in (others)\n\n  or evt.num=1', output: out, priority: info}\n"
			    "...\n"
			    "---\n"
			    "# nothing\n");
	expect_condition(&loaded, "r", "(proc.name in (a, b) or evt.num = 1)");
	unload(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_lists_expand),
		cmocka_unit_test(test_macros_are_shared),
		cmocka_unit_test(test_later_definitions_take_the_place),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_override),
		cmocka_unit_test(test_rules_that_do_not_run),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_replaced_exceptions),
		cmocka_unit_test(test_forms_of_yaml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
