/* SPDX-License-Identifier: MIT */
/* Macros that are shared by those that name them, and errors of conditions, each reported once. */
#include <stdlib.h>

#include "rules_text.h"
#include "sinsp/filter/tree.h"
#include "unit.h"

static void test_all_errors_are_reported(void **state)
{
	EXPECT(RULE("fd.nosuch=1 and evt.num=x and proc.nam=a"), "2:14 error fd.nosuch",
	       "2:38 error 'x'", "2:44 error did you mean 'proc.name'");
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n" RULE("m and (evt.num=1"),
	       "2:14 warning fd.nosuch", "4:30 error found the end");
}

static void test_errors_in_macros_that_are_not_used(void **state)
{
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n", "2:14 warning fd.nosuch");
	EXPECT("- macro: m\n  condition: fd.nosuch=1\n" RULE("m") "  enabled: false\n", NULL);
	EXPECT("- macro: m\n  condition: evt.num=x\n" RULE("m") "  enabled: false\n",
	       "2:22 warning 'x'");
	EXPECT("- macro: m\n  condition: fd.nosuch=\n", "2:24 error found the end");
}

static void test_macros_are_shared(void **state)
{
	const struct filter_node *first, *second;
	struct loaded loaded;

	load_right(&loaded,
		   NAMED_RULE("one", "inner and evt.num=1") NAMED_RULE(
			   "two", "not inner") "- macro: inner\n  condition: deep or evt.num=2\n"
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

/* Each name stands in the next definition, twice. */
static void append_macro(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- macro: m0\n  condition: evt.num=1\n");
	else
		buf_printf(out, "- macro: m%zu\n  condition: m%zu or (m%zu and evt.num=%zu)\n", i,
			   i - 1, i - 1, i);
}

static void test_depth_of_macros(void **state)
{
	struct loaded loaded;
	char *text;

	expect_limit(repeat(5000, append_macro), "nested too deeply");
	/* As macros are shared, the same at a depth that is allowed costs nothing. */
	text = repeat(64, append_macro);
	load_text(&loaded, text);
	assert_int_equal(loaded.code, 0);
	unload(&loaded);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_errors_are_reported),
	cmocka_unit_test(test_errors_in_macros_that_are_not_used),
	cmocka_unit_test(test_macros_are_shared),
	cmocka_unit_test(test_depth_of_macros),
};

UNIT_GROUP(tests);
