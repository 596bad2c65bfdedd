/* SPDX-License-Identifier: MIT */
/* Conditions: names of lists and macros that are not there, and how long a condition may be. */
#include <stdlib.h>

#include "rules_text.h"
#include "unit.h"

static void test_names(void **state)
{
	EXPECT("- macro: spawned_process\n  condition: evt.num=1\n" RULE(
		       "spawned_proces and evt.num=1"),
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

static void append_change(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, RULE("evt.num=0"));
	else
		buf_printf(out, "- rule: r\n  append: true\n  condition: or evt.num=%zu\n", i);
}

static void test_long_conditions(void **state)
{
	char *text = repeat(10000, append_change);
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, 0);
	assert_int_equal(loaded.counts.rules, 1);
	unload(&loaded);
	free(text);
	expect_limit(repeat(20000, append_change), "the expression has");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_long_conditions),
};

UNIT_GROUP(tests);
