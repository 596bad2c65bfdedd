/* SPDX-License-Identifier: MIT */
/* What is known of a filter before any event: what it needs, and where an item stands in a list. */
#include "fake_fields.h"
#include "grouped.h"
#include "sinsp/filter/program.h"
#include "unit.h"

static void test_needs(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "num.i8 = 1 or text.a = x", "text.a = x", "concat(text.a, text.b) = x",
		     "num.i64 = val(num.i64)", "num.i8 = 1 and num.i64 = 1", "kin.text = x");
	assert_int_equal(filter_group_needs(group.filter, 0), NEEDS_THREADS);
	assert_int_equal(filter_group_needs(group.filter, 1), NEEDS_NOTHING);
	assert_int_equal(filter_group_needs(group.filter, 3), NEEDS_FDS);
	assert_int_equal(filter_group_needs(group.filter, 4), NEEDS_THREADS | NEEDS_FDS);
	assert_int_equal(filter_needs(group.filter), NEEDS_THREADS | NEEDS_FDS);
	assert_int_equal(filter_group_flags(group.filter, 1), 0);
	assert_true(filter_group_flags(group.filter, 5) & FIELD_ANCESTORS);
	assert_true(filter_flags(group.filter) & FIELD_ANCESTORS);
	grouped_finish(&group);
}

/* By type; test_needs_by_type of the selection has expressions that differ by it. */
static void test_needs_of_events(void **state)
{
	unsigned int needs[EVENT_ID_MAX];
	struct grouped group;

	GROUPED_MAKE(&group, "num.i8 = 1 and text.a = x", "text.a = x or num.i64 = 1");
	filter_event_needs(group.filter, needs);
	assert_int_equal(needs[EVENT_openat], NEEDS_THREADS | NEEDS_FDS);
	assert_int_equal(needs[EVENT_syscall], NEEDS_THREADS | NEEDS_FDS);
	grouped_finish(&group);
	GROUPED_MAKE(&group, "text.a = x");
	filter_event_needs(group.filter, needs);
	assert_int_equal(needs[EVENT_openat], NEEDS_NOTHING);
	grouped_finish(&group);
}

/* Of all expressions together, in whatever order. */
static void test_any(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "num.i8 = 1 and kin.text = x", "text.a = x");
	assert_int_equal(filter_needs(group.filter), NEEDS_THREADS);
	assert_true(filter_flags(group.filter) & FIELD_ANCESTORS);
	assert_false(filter_group_flags(group.filter, 1) & FIELD_ANCESTORS);
	grouped_finish(&group);
}

/* The first of the items from one on, or the end. */
static void test_find(void **state)
{
	struct filter_choice choices[] = {{1}, {2}, {5}, {9}};
	static const int wanted[] = {0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4};

	for (uint32_t count = 0; count <= 4; count++) {
		const struct filter_list list = {count, choices};

		for (size_t item = 0; item < sizeof(wanted) / sizeof(wanted[0]); item++) {
			uint32_t at = (uint32_t)wanted[item];

			assert_ptr_equal(filter_list_find(&list, item),
					 choices + (at < count ? at : count));
		}
	}
	assert_ptr_equal(filter_list_find(&(struct filter_list){4, choices}, FILTER_NONE),
			 choices + 4);
}

static void test_count(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "num.i8 = 1", "num.i8 = 1", "text.a = x");
	assert_int_equal(filter_group_count(group.filter), 3);
	grouped_finish(&group);
	GROUPED_MAKE(&group, NULL);
	assert_int_equal(filter_group_count(group.filter), 0);
	assert_int_equal(filter_needs(group.filter), NEEDS_NOTHING);
	assert_int_equal(filter_flags(group.filter), 0);
	assert_false(filter_names_event(group.filter, EVENT_open));
	grouped_finish(&group);
}

/* In whatever part, and whatever it is compared for; not of other fields. */
static void test_names_text(void **state)
{
	static const struct {
		const char *text;
		bool named;
	} cases[] = {
		{"text.a = x", true},	    {"num.i8 = 1 or not text.a != x", true},
		{"text.a in (y, x)", true}, {"text.b = x", false},
		{"text.a = xy", false},	    {"text.a contains y", false},
		{"text.a regex x", false},  {"text.a exists", false},
		{"text.a = text.b", false}, {"toupper(text.a) = x", false},
		{"num.i8 = 1", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct grouped group;

		GROUPED_MAKE(&group, "num.i8 = 2", cases[i].text);
		if (filter_names_text(group.filter, "text.a", "x") != cases[i].named)
			fail_msg("%s", cases[i].text);
		grouped_finish(&group);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_needs), cmocka_unit_test(test_needs_of_events),
	cmocka_unit_test(test_any),   cmocka_unit_test(test_find),
	cmocka_unit_test(test_count), cmocka_unit_test(test_names_text),
};

UNIT_GROUP(tests);
