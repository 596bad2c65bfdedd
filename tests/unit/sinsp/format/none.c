/* SPDX-License-Identifier: MIT */
/* The format that prints nothing: for captures, not for lists; rules need no state for it. */
#include "sinsp/sinsp.h"
#include "unit.h"

static void test_prints_nothing(void **state)
{
	assert_true(format_none.silent);
	assert_false(format_none.for_programs);
	assert_true(output_format_has_events(&format_none));
	assert_false(output_format_has_lists(&format_none));
	assert_ptr_equal(output_format_find("none"), &format_none);
}

static void test_rules_need_no_state(void **state)
{
	const struct format_rule rule = {"r", "Info", NULL, 0, "%proc.name %fd.name"};
	struct match_line *line;

	assert_int_equal(
		match_line_create(&format_none, &rule, &(struct text_style){0}, &line, NULL), 0);
	assert_int_equal(match_line_needs(line), NEEDS_NOTHING);
	match_line_destroy(line);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_prints_nothing),
	cmocka_unit_test(test_rules_need_no_state),
};

UNIT_GROUP(tests);
