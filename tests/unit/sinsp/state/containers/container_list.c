/* SPDX-License-Identifier: MIT */
/* Lists of containers: order, and removal anywhere. */
#include "sinsp/state/containers/container.h"
#include "unit.h"

enum { COUNT = 3 };

#define LISTING STATE_CONTAINERS_CHANGED

static void expect_order(const struct state_container_list *list,
			 const struct state_container *const *expected, uint32_t count)
{
	const struct state_container *at = list->oldest, *last = NULL;

	assert_int_equal(list->count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_ptr_equal(at, expected[i]);
		assert_ptr_equal(at->links[LISTING].older, last);
		last = at;
		at = at->links[LISTING].newer;
	}
	assert_null(at);
	assert_ptr_equal(list->newest, last);
}

/* Of three containers without one, which is in another list all the while. */
static void expect_without(size_t removed)
{
	struct state_container_lists lists = {0};
	struct state_container containers[COUNT] = {0};
	const struct state_container *left[COUNT];
	uint32_t count = 0;

	state_container_list_add(&lists, &containers[removed], STATE_CONTAINERS_NEW);
	for (size_t i = 0; i < COUNT; i++) {
		state_container_list_add(&lists, &containers[i], LISTING);
		if (i != removed)
			left[count++] = &containers[i];
	}
	/* It stays where it is. */
	state_container_list_add(&lists, &containers[0], LISTING);
	state_container_list_remove(&lists, &containers[removed], LISTING);
	state_container_list_remove(&lists, &containers[removed], LISTING);
	expect_order(&lists.of[LISTING], left, count);
	assert_int_equal(lists.of[STATE_CONTAINERS_NEW].count, 1);
	left[count++] = &containers[removed];
	state_container_list_add(&lists, &containers[removed], LISTING);
	expect_order(&lists.of[LISTING], left, count);
}

static void test_order(void **state)
{
	for (size_t removed = 0; removed < COUNT; removed++)
		expect_without(removed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
};

UNIT_GROUP(tests);
