/* SPDX-License-Identifier: MIT */
/* Events wait in memory: all of them, in their order, and no more than there is room for. */
#include <errno.h>

#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

static struct boundary_queue *create(struct script *script, size_t bytes_max)
{
	struct boundary_queue *queue;

	assert_int_equal(boundary_queue_create(&script->source, bytes_max, &queue), 0);
	return queue;
}

static void test_passes_on(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8});
	struct boundary_queue *queue = create(&script, 1);

	EXPECT_MOMENTS(boundary_queue_source(queue), {1 * MS, 7}, {2 * MS, 8});
	assert_true(boundary_queue_is_empty(queue));
	assert_int_equal(scap_source_settled(boundary_queue_source(queue)), UINT64_MAX);
	scap_source_destroy(boundary_queue_source(queue));
}

static void test_memory_comes_first(void **state)
{
	struct script script = SCRIPT({1 * MS, 7, 99}, {2 * MS, 8}, {3 * MS, 9}, {4 * MS, 10});
	struct boundary_queue *queue = create(&script, 1 << 20);

	script.now_ns = 2 * MS;
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	script.now_ns = 4 * MS;
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	assert_false(boundary_queue_is_empty(queue));
	/* What follows is not known as long as there is something before it. */
	assert_int_equal(scap_source_settled(boundary_queue_source(queue)), 0);
	script.now_ns = UINT64_MAX;
	EXPECT_MOMENTS(boundary_queue_source(queue), {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9}, {4 * MS, 10});
	assert_true(boundary_queue_is_empty(queue));
	scap_source_destroy(boundary_queue_source(queue));
}

static void test_used_again(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	struct boundary_queue *queue = create(&script, 1 << 20);

	script.now_ns = 2 * MS;
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	EXPECT_MOMENTS(boundary_queue_source(queue), {1 * MS, 7});
	script.now_ns = UINT64_MAX;
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	EXPECT_MOMENTS(boundary_queue_source(queue), {2 * MS, 8}, {3 * MS, 9});
	scap_source_destroy(boundary_queue_source(queue));
}

/* There is always room for one event of any size; the rest stays where it is. */
static void test_the_bound(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	struct boundary_queue *queue = create(&script, 1);

	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	assert_int_equal(script.at, 1);
	EXPECT_MOMENTS(boundary_queue_source(queue), {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 9});
	scap_source_destroy(boundary_queue_source(queue));
}

static void test_the_end(void **state)
{
	struct script script = SCRIPT({1 * MS, 7});
	struct boundary_queue *queue = create(&script, 1 << 20);
	struct scap_event event;

	script.stopped = true;
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	assert_int_equal(boundary_queue_fill(queue, 0), 0);
	EXPECT_MOMENTS(boundary_queue_source(queue), {1 * MS, 7});
	assert_int_equal(scap_source_next(boundary_queue_source(queue), 0, &event), -ENODATA);
	scap_source_destroy(boundary_queue_source(queue));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_passes_on),  cmocka_unit_test(test_memory_comes_first),
	cmocka_unit_test(test_used_again), cmocka_unit_test(test_the_bound),
	cmocka_unit_test(test_the_end),
};

UNIT_GROUP(tests);
