/* SPDX-License-Identifier: MIT */
/* Events wait in memory: all of them, in their order, and no more than there is room for. */
#include <errno.h>

#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

static struct scap_held *create(struct script *script, size_t bytes_max)
{
	struct scap_held *held;

	assert_int_equal(scap_held_create(&script->source, bytes_max, &held), 0);
	return held;
}

static void test_passes_on(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8});
	struct scap_held *held = create(&script, 1);

	EXPECT_MOMENTS(scap_held_source(held), {1 * MS, 7}, {2 * MS, 8});
	assert_true(scap_held_is_empty(held));
	assert_int_equal(scap_source_settled(scap_held_source(held)), UINT64_MAX);
	scap_source_destroy(scap_held_source(held));
}

static void test_memory_comes_first(void **state)
{
	struct script script = SCRIPT({1 * MS, 7, 99}, {2 * MS, 8}, {3 * MS, 9}, {4 * MS, 10});
	struct scap_held *held = create(&script, 1 << 20);

	script.now_ns = 2 * MS;
	assert_int_equal(scap_held_fill(held, 0), 0);
	script.now_ns = 4 * MS;
	assert_int_equal(scap_held_fill(held, 0), 0);
	assert_false(scap_held_is_empty(held));
	/* What follows is not known as long as there is something before it. */
	assert_int_equal(scap_source_settled(scap_held_source(held)), 0);
	script.now_ns = UINT64_MAX;
	EXPECT_MOMENTS(scap_held_source(held), {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9}, {4 * MS, 10});
	assert_true(scap_held_is_empty(held));
	scap_source_destroy(scap_held_source(held));
}

static void test_used_again(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	struct scap_held *held = create(&script, 1 << 20);

	script.now_ns = 2 * MS;
	assert_int_equal(scap_held_fill(held, 0), 0);
	EXPECT_MOMENTS(scap_held_source(held), {1 * MS, 7});
	script.now_ns = UINT64_MAX;
	assert_int_equal(scap_held_fill(held, 0), 0);
	EXPECT_MOMENTS(scap_held_source(held), {2 * MS, 8}, {3 * MS, 9});
	scap_source_destroy(scap_held_source(held));
}

/* There is always room for one event of any size; the rest stays where it is. */
static void test_the_bound(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	struct scap_held *held = create(&script, 1);

	assert_int_equal(scap_held_fill(held, 0), 0);
	assert_int_equal(scap_held_fill(held, 0), 0);
	assert_int_equal(script.at, 1);
	EXPECT_MOMENTS(scap_held_source(held), {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	scap_source_destroy(scap_held_source(held));
}

static void test_the_end(void **state)
{
	struct script script = SCRIPT({1 * MS, 7});
	struct scap_held *held = create(&script, 1 << 20);
	struct scap_event event;

	script.stopped = true;
	assert_int_equal(scap_held_fill(held, 0), 0);
	assert_int_equal(scap_held_fill(held, 0), 0);
	EXPECT_MOMENTS(scap_held_source(held), {1 * MS, 7});
	assert_int_equal(scap_source_next(scap_held_source(held), 0, &event), -ENODATA);
	scap_source_destroy(scap_held_source(held));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_passes_on),  cmocka_unit_test(test_memory_comes_first),
	cmocka_unit_test(test_used_again), cmocka_unit_test(test_the_bound),
	cmocka_unit_test(test_the_end),
};

UNIT_GROUP(tests);
