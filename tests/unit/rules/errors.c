/* SPDX-License-Identifier: MIT */
/*
 * Rules files that are wrong: what is said, and to which line and column of the file it points,
 * whatever the text looks like there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"

/* The lines of a rule but its condition; the condition begins in line 2, column 14. */
#define RULE(condition)                                                                            \
	"- rule: r\n  condition: " condition "\n  desc: d\n  output: out\n  priority: info\n"

static void test_places_in_conditions(void **state)
{
	/* Plain, over several lines. */
	EXPECT(RULE("evt.num=1 and fd.nosuch=1"), "2:28 error unknown field 'fd.nosuch'");
	EXPECT(RULE("evt.num=1\n    and\n      fd.nosuch=1"), "4:7 error fd.nosuch");
	EXPECT(RULE("evt.num=1 and # comment\n"), "2:27 error found the end");
	EXPECT(RULE("evt.num=1 and"), "2:27 error found the end");
	/* Quoted, with escapes. */
	EXPECT(RULE("'proc.name=\"it''s\" and fd.nosuch=1'"), "2:37 error fd.nosuch");
	EXPECT(RULE("\"proc.name=\\\"\\x41\\u00e4\\tb\\\" and\\n  fd.nosuch=1\""),
	       "2:50 error fd.nosuch");
	EXPECT(RULE("\"evt.num=1 \\\n    and fd.nosuch=1\""), "3:9 error fd.nosuch");
	/* Blocks: folded, literal, with indentation and comments. */
	EXPECT(RULE(">\n    evt.num=1 and\n    fd.nosuch=1"), "4:5 error fd.nosuch");
	EXPECT(RULE("> # comment\n\n    evt.num=1 and\n\n\n      fd.nosuch=1"),
	       "7:7 error fd.nosuch");
	EXPECT(RULE("|-\n    evt.num=1\n    and fd.nosuch=1\n"), "4:9 error fd.nosuch");
	EXPECT(RULE(">2+\n      evt.num=1 and\n    fd.nosuch=1\n"), "4:5 error fd.nosuch");
	EXPECT(RULE(">\n    evt.num=1 and"), "3:18 error found the end");
	/* Anchors, tags, characters of several bytes, ends of lines. */
	EXPECT(RULE("&a evt.num=1 and fd.nosuch=1"), "2:31 error fd.nosuch");
	EXPECT(RULE("!!str evt.num=1 and fd.nosuch=1"), "2:34 error fd.nosuch");
	EXPECT(RULE("proc.name=\xc3\xa4\xe2\x82\xac and fd.nosuch=1"), "2:31 error fd.nosuch");
	EXPECT("# \xf0\x9f\x90\x8d\r\n" RULE("|\r\n    evt.num=1\r\n    and fd.nosuch=1\r\n"),
	       "5:9 error fd.nosuch");
}

static void test_all_errors_are_told(void **state)
{
	EXPECT(RULE("fd.nosuch=1 and evt.num=x and proc.nam=a"), "2:14 error fd.nosuch",
	       "2:38 error 'x'", "2:44 error did you mean 'proc.name'");
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n" RULE("m and (evt.num=1"),
	       "2:14 warning fd.nosuch", "4:30 error found the end");
}

static void test_names(void **state)
{
	EXPECT("- macro: spawned_process\n  condition: evt.num=1\n"
	       RULE("spawned_proces and evt.num=1"),
	       "4:14 error unknown macro 'spawned_proces'; did you mean 'spawned_process'?");
	EXPECT(RULE("nothing_like_it"), "2:14 error unknown macro 'nothing_like_it'");
	EXPECT(RULE("evt.num=1 and exec"), "2:28 error unknown macro 'exec'");
	EXPECT("- list: shells\n  items: [sh]\n" RULE("proc.name in shels"),
	       "4:27 error unknown list 'shels'; did you mean 'shells'?");
	EXPECT("- list: shell_names\n  items: [sh]\n" RULE("proc.name in (shell_nams)"),
	       "4:28 warning 'shell_nams' is no list, but a text; did you mean 'shell_names'?");
	EXPECT("- list: l\n  items: [x]\n" RULE("evt.num in (1, l)"), "4:29 error 'x'");
	EXPECT(RULE("proc.name = proc.pname"), "2:26 warning is the name of a field");
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

static void test_errors_in_macros_that_are_not_used(void **state)
{
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n", "2:14 warning fd.nosuch");
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n" RULE("m") "  enabled: false\n",
	       NULL);
	EXPECT("- macro: m\n  condition: evt.num=x\n" RULE("m") "  enabled: false\n",
	       "2:22 warning 'x'");
	EXPECT("- macro: m\n  condition: fd.nosuch=\n", "2:24 error found the end");
}

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

#define EXCEPTION(text) RULE("evt.num=1") "  exceptions:\n  - " text "\n"

static void test_exceptions(void **state)
{
	EXPECT(EXCEPTION("x"), "7:5 error expected an exception");
	EXPECT(EXCEPTION("fields: [proc.name]"), "7:5 error needs a name");
	EXPECT(EXCEPTION("name: a"), "7:11 error needs fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.nam], values: [[x]]}"),
	       "7:24 error did you mean 'proc.name'?");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], values: [[1], [x]]}"), "7:49 error 'x'");
	EXPECT(EXCEPTION("{name: a, fields: ['evt.num=1 or proc.name'], values: [[1]]}"),
	       "7:24 error expected a field alone");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], comps: [startwith], values: [[x]]}"),
	       "7:44 error unknown operator 'startwith'; did you mean 'startswith'?");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], comps: [=, =], values: [[x]]}"),
	       "7:47 error more comps than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name, evt.num], comps: [=], values: [[x, 1]]}"),
	       "7:52 error fewer comps than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [[x, y]]}"),
	       "7:49 error more values than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name, evt.num], values: [[x]]}"),
	       "7:54 error fewer values than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [x]}"),
	       "7:45 error expected a sequence");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [[[x]]]}"),
	       "7:46 error expected a value");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], comps: [in], values: [['(1, 2']]}"),
	       "7:57 error expected ','");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], comps: [in], values: [['(1) or evt.num=2']]}"),
	       "7:57 error expected values alone");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], comps: [in], values: [['(1, x)']]}"),
	       "7:62 error 'x'");
	EXPECT(EXCEPTION("{name: a, fields: proc.name, comps: =, values: [x]}"),
	       "7:41 error by in, pmatch or intersects");
	EXPECT(EXCEPTION("{name: a, fields: proc.name, valus: [x]}"),
	       "7:34 warning no key 'valus', which is ignored; did you mean 'values'?");
	EXPECT(EXCEPTION("{name: a, fields: evt.num, comps: pmatch, values: [x]}"),
	       "7:39 error operator 'pmatch'");
	EXPECT(EXCEPTION("{name: a, fields: proc.name}\n- rule: r\n  append: true\n"
			 "  exceptions: [{name: a, fields: proc.pname, values: [x]}]"),
	       "10:34 error with other fields");
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
	struct rules_report report;
	struct rules_counts counts;
	struct rules *rules;

	assert_int_equal(rules_load(&input, 1, &options, &rules, &counts, &report), -EINVAL);
	assert_int_equal(report.messages[0].line, 2);
	assert_int_equal(report.messages[0].column, 12);
	rules_report_finish(&report);
}

static void test_how_messages_look(void **state)
{
	struct loaded loaded;
	struct buf out = {0};

	load_text(&loaded, RULE(">\n    evt.num=1 and\n    \tfd.nosuch=1"));
	rules_report_render(&loaded.report, RULES_NOTE, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data,
			    "a.yaml:4:6: error: unknown field 'fd.nosuch'\n"
			    "      \tfd.nosuch=1\n"
			    "      \t^\n");
	buf_finish(&out);
	unload(&loaded);
}

static void test_order_of_messages(void **state)
{
	const char *const texts[] = {RULE("fd.nosuch=1") "- list: l\n  items: x\n", "- x\n", NULL};
	struct loaded loaded;
	struct buf out = {0};
	const char *first, *second, *third;

	load_texts(&loaded, texts);
	rules_report_render(&loaded.report, RULES_NOTE, &out);
	buf_append_char(&out, '\0');
	first = strstr(out.data, "a.yaml:2:14:");
	second = strstr(out.data, "a.yaml:7:10:");
	third = strstr(out.data, "b.yaml:1:3:");
	assert_true(first && second && third && first < second && second < third);
	buf_finish(&out);
	unload(&loaded);
}

/* A text of `n` times what `append` adds. */
static char *repeat(size_t n, void (*append)(struct buf *out, size_t i))
{
	struct buf out = {0};

	for (size_t i = 0; i < n; i++)
		append(&out, i);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

static void append_wrong_rule(struct buf *out, size_t i)
{
	buf_printf(out, "- rule: r%zu\n  desc: d\n  condition: fd.nosuch=1 and m_%zu\n"
			"  output: out\n  priority: info\n", i, i);
}

static void test_many_errors(void **state)
{
	char *text = repeat(2000, append_wrong_rule);
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, -EINVAL);
	assert_int_equal(loaded.report.count, RULES_MESSAGES_MAX);
	assert_in_range(loaded.report.counts[RULES_ERROR], RULES_ERRORS_MAX,
			RULES_ERRORS_MAX + 10);
	unload(&loaded);
	free(text);
}

/* Each name stands in the next definition, twice. */
static void append_list(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- list: l0\n  items: [a, b]\n");
	else
		buf_printf(out, "- list: l%zu\n  items: [l%zu, l%zu]\n", i, i - 1, i - 1);
}

static void append_macro(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- macro: m0\n  condition: evt.num=1\n");
	else
		buf_printf(out, "- macro: m%zu\n  condition: m%zu or (m%zu and evt.num=%zu)\n", i,
			   i - 1, i - 1, i);
}

static void append_alias(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- &a0 [x, x]\n");
	else
		buf_printf(out, "- &a%zu [*a%zu, *a%zu]\n", i, i - 1, i - 1);
}

static void expect_limit(char *text, const char *what)
{
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, -EINVAL);
	assert_true(loaded.report.count > 0);
	for (size_t i = 0; i < loaded.report.count; i++)
		if (strstr(loaded.report.messages[i].text, what))
			what = "";
	assert_string_equal(what, "");
	unload(&loaded);
	free(text);
}

static void test_what_grows_without_measure(void **state)
{
	struct loaded loaded;
	char *text;

	expect_limit(repeat(64, append_list), "expand to more than");
	expect_limit(repeat(64, append_alias), "too many values");
	expect_limit(repeat(5000, append_macro), "nested too deeply");
	/* As macros are shared, the same at a depth that is allowed costs nothing. */
	text = repeat(64, append_macro);
	load_text(&loaded, text);
	assert_int_equal(loaded.code, 0);
	unload(&loaded);
	free(text);
}

static void append_bracket(struct buf *out, size_t i)
{
	buf_append_char(out, '[');
}

static void append_change(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, RULE("evt.num=0"));
	else
		buf_printf(out, "- rule: r\n  append: true\n  condition: or evt.num=%zu\n", i);
}

static void test_large_files(void **state)
{
	char *text = repeat(10000, append_change);
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, 0);
	assert_int_equal(loaded.counts.rules, 1);
	unload(&loaded);
	free(text);
	expect_limit(repeat(20000, append_change), "the expression has");
	expect_limit(repeat(100000, append_bracket), "nested too deeply");
}

static void test_files_that_cannot_be_read(void **state)
{
	const struct rules_input inputs[] = {{.path = "/nosuch/rules.yaml"}, {.path = "/"}};
	const struct rules_options options = {.least = PRIORITY_DEBUG};
	struct rules_report report;
	struct rules_counts counts;
	struct rules *rules;

	assert_int_equal(rules_load(inputs, 2, &options, &rules, &counts, &report), -EINVAL);
	assert_int_equal(report.count, 2);
	assert_string_equal(report.messages[0].text,
			    "/nosuch/rules.yaml: error: No such file or directory\n");
	assert_string_equal(report.messages[1].text, "/: error: Is a directory\n");
	rules_report_finish(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_in_conditions),
		cmocka_unit_test(test_all_errors_are_told),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_circles),
		cmocka_unit_test(test_errors_in_macros_that_are_not_used),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_values_of_keys),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_not_yaml),
		cmocka_unit_test(test_raw_nul),
		cmocka_unit_test(test_how_messages_look),
		cmocka_unit_test(test_order_of_messages),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_what_grows_without_measure),
		cmocka_unit_test(test_large_files),
		cmocka_unit_test(test_files_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
