/* SPDX-License-Identifier: MIT */
/* Holders: classes, turns, groups. */
#include "util/holders.h"

#include "unit.h"

static void finds_none_among_small_ones(void **state)
{
	struct holders among = {0};
	struct holder holder = {0};

	assert_null(holders_largest(&among));
	holder_add(&among, &holder, HOLDER_UNITS_MIN - 1);
	assert_null(holders_largest(&among));
	holder_add(&among, &holder, 1);
	assert_ptr_equal(holders_largest(&among), &holder);
	holder_add(&among, &holder, -1);
	assert_null(holders_largest(&among));
}

static void finds_the_largest(void **state)
{
	struct holders among = {0};
	struct holder holders[40] = {0};

	for (int i = 0; i < 40; i++)
		holder_add(&among, &holders[i], INT64_C(1) << i);
	for (int i = 31; i >= 5; i--) {
		assert_true(holders_largest(&among) >= &holders[i]);
		for (int j = i; j < 40; j++)
			holder_add(&among, &holders[j], -(int64_t)holders[j].units);
	}
	assert_null(holders_largest(&among));
	assert_int_equal(among.classes, 0);
}

/* Those that hold about the same give back in turn. */
static void takes_turns(void **state)
{
	struct holders among = {0};
	struct holder holders[3] = {0};

	for (int i = 0; i < 3; i++)
		holder_add(&among, &holders[i], 1000);
	for (int i = 0; i < 7; i++)
		assert_ptr_equal(holders_largest(&among), &holders[i % 3]);
	holder_add(&among, &holders[1], -1000);
	assert_ptr_equal(holders_largest(&among), &holders[2]);
	assert_ptr_equal(holders_largest(&among), &holders[0]);
	assert_ptr_equal(holders_largest(&among), &holders[2]);
}

static void counts_references(void **state)
{
	struct holder_group *group = holder_group_create();

	assert_non_null(group);
	assert_int_equal(group->refs, 1);
	group->refs++;
	holder_group_unref(group);
	assert_int_equal(group->refs, 1);
	holder_group_unref(group);
	holder_group_unref(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_none_among_small_ones),
	cmocka_unit_test(finds_the_largest),
	cmocka_unit_test(takes_turns),
	cmocka_unit_test(counts_references),
};

UNIT_GROUP(tests);
