/* SPDX-License-Identifier: MIT */
/* Many expressions in one filter: which one answers, and what is found once for an event. */
#include <string.h>

#include "fake_fields.h"
#include "grouped.h"
#include "unit.h"

static const struct state_event event;

static void test_order(void **state)
{
	struct grouped group;

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_u64("num.u64", 7);
	GROUPED_MAKE(&group, "text.a = y", "text.a = x", "num.u64 = 8",
		     "num.u64 = 7 and text.a != y");
	assert_int_equal(filter_group_count(group.filter), 4);
	assert_int_equal(filter_group_next(group.filter, &event, 0), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 1), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 2), 3);
	assert_int_equal(filter_group_next(group.filter, &event, 4), FILTER_NONE);
	assert_true(filter_match(group.filter, &event));
	grouped_finish(&group);
	GROUPED_MAKE(&group, "text.a = y", "num.u64 = 8");
	assert_int_equal(filter_group_next(group.filter, &event, 0), FILTER_NONE);
	assert_false(filter_match(group.filter, &event));
	grouped_finish(&group);
	GROUPED_MAKE(&group, NULL);
	assert_int_equal(filter_group_next(group.filter, &event, 0), FILTER_NONE);
	grouped_finish(&group);
}

/* What is asked more than once is found once for an event, and again for the next. */
static void test_values_are_kept(void **state)
{
	struct grouped group;

	fake_clear();
	fake_add_text("text.a", "x");
	GROUPED_MAKE(&group, "text.a = a", "text.a in (b, c)", "text.a startswith x and text.a = d",
		     "text.a endswith x", "tolower(text.a) = X", "tolower(text.a) = e");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 3);
	assert_int_equal(fake_reads(), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 4), FILTER_NONE);
	assert_int_equal(fake_reads(), 2);
	fake_clear();
	fake_add_text("text.a", "E");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 5);
	assert_int_equal(fake_reads(), 2);
	grouped_finish(&group);
}

/* Values in scratch memory stay whole while others are made. */
static void test_scratch(void **state)
{
	static char large[60000];
	struct grouped group;

	memset(large, 'A', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	fake_clear();
	fake_add_text("text.a", "Abc");
	fake_add_text("text.b", large);
	fake_add_text("path.a", large);
	GROUPED_MAKE(&group, "tolower(text.a) = x or toupper(text.a) = x",
		     "tolower(text.b) = x or tolower(path.a) = x or toupper(text.b) = x",
		     "tolower(text.b) endswith b or tolower(path.a) endswith b",
		     "toupper(text.b) endswith b or concat(text.b, text.b) endswith b",
		     "toupper(text.a) = ABC and tolower(text.a) = abc and tolower(text.b) endswith "
		     "a and "
		     "tolower(path.a) startswith a and toupper(text.b) endswith A",
		     "concat(text.b, text.b) endswith A");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(filter_group_next(group.filter, &event, 0), 4);
		assert_int_equal(filter_group_next(group.filter, &event, 5), 5);
	}
	grouped_finish(&group);
}

/* So does the room for right sides when the left one is known already. */
static void test_right_sides(void **state)
{
	static char large[100000];
	struct grouped group;

	memset(large, 'a', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	fake_clear();
	fake_add_text("text.a", large);
	fake_add_text("path.a", large);
	GROUPED_MAKE(&group, "path.a != tolower(path.a)", "path.a > tolower(path.a)",
		     "path.a < tolower(path.a)", "path.a = toupper(path.a)",
		     "path.a = tolower(path.a)");
	for (int i = 0; i < 3; i++)
		assert_int_equal(filter_group_next(group.filter, &event, 0), 4);
	grouped_finish(&group);
}

/* Ancestors are gone through for each check, with an index of its own. */
static void test_ancestors(void **state)
{
	struct grouped group;

	fake_clear();
	fake_add_text("kin.text", "a");
	fake_add_text("kin.text", "b");
	GROUPED_MAKE(&group, "kin.text = c", "kin.text[2] = a", "kin.text = b and kin.text = a",
		     "kin.text[2] = b and kin.text exists and not kin.text = c");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(filter_group_next(group.filter, &event, 3), 3);
	grouped_finish(&group);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),	  cmocka_unit_test(test_values_are_kept),
	cmocka_unit_test(test_scratch),	  cmocka_unit_test(test_right_sides),
	cmocka_unit_test(test_ancestors),
};

UNIT_GROUP(tests);
