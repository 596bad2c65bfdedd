/* SPDX-License-Identifier: MIT */
/* A capture ends at a boundary: what is before it comes, the rest is held, dropped or given. */
#include <errno.h>

#include "event/event.h"
#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

static struct boundary_before *create(struct script *script, uint64_t boundary_ns)
{
	struct boundary_before *before;

	assert_int_equal(boundary_before_create(&script->source, boundary_ns, &before), 0);
	return before;
}

static void destroy(struct boundary_before *before)
{
	scap_source_destroy(boundary_before_source(before));
}

static void test_up_to_the_boundary(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {100 * MS - 1, 8}, {100 * MS, 9});
	struct boundary_before *before = create(&script, 100 * MS);
	size_t count;

	assert_false(boundary_before_is_reached(before));
	EXPECT_MOMENTS(boundary_before_source(before), {50 * MS, 7}, {100 * MS - 1, 8});
	assert_true(boundary_before_is_reached(before));
	/* The first one is too early to have a copy after the boundary. */
	assert_int_equal(boundary_before_seen(before, &count)->ts_ns, 100 * MS - 1);
	assert_int_equal(count, 1);
	EXPECT_NO_MOMENTS(boundary_before_source(before));
	destroy(before);
}

/* What the rings had is not all that will come, as long as time has not gone on. */
static void test_time_has_to_pass(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {100 * MS - 1, 8});
	struct boundary_before *before = create(&script, 100 * MS);

	script.now_ns = 60 * MS;
	EXPECT_MOMENTS(boundary_before_source(before), {50 * MS, 7});
	assert_false(boundary_before_is_reached(before));
	script.now_ns = 100 * MS;
	EXPECT_MOMENTS(boundary_before_source(before), {100 * MS - 1, 8});
	assert_true(boundary_before_is_reached(before));
	destroy(before);
}

/* All that is settled may still wait to be taken. */
static void test_not_reached_between_events(void **state)
{
	struct script script = SCRIPT({98 * MS, 7}, {99 * MS, 7});
	struct boundary_before *before = create(&script, 100 * MS);
	struct scap_event event;

	assert_int_equal(scap_source_next(boundary_before_source(before), 0, &event), 1);
	assert_false(boundary_before_is_reached(before));
	EXPECT_MOMENTS(boundary_before_source(before), {99 * MS, 7});
	assert_true(boundary_before_is_reached(before));
	destroy(before);
}

static void test_cancelled(void **state)
{
	struct script script = SCRIPT({99 * MS, 7}, {100 * MS, 8}, {101 * MS, 9});
	struct boundary_before *before = create(&script, 100 * MS);
	struct scap_event event;

	EXPECT_MOMENTS(boundary_before_source(before), {99 * MS, 7});
	boundary_before_cancel(before);
	assert_false(boundary_before_is_over(before));
	assert_int_equal(scap_source_next(boundary_before_source(before), 0, &event), 1);
	assert_true(boundary_before_is_over(before));
	EXPECT_MOMENTS(boundary_before_source(before), {101 * MS, 9});
	destroy(before);
}

static void test_confirmed(void **state)
{
	struct script script = SCRIPT({99 * MS, 7}, {100 * MS, 8}, {101 * MS, 9});
	struct boundary_before *before = create(&script, 100 * MS);
	uint64_t dropped[EVENT_ID_MAX];
	struct scap_event event;

	EXPECT_MOMENTS(boundary_before_source(before), {99 * MS, 7});
	script.stopped = true;
	boundary_before_confirm(before);
	assert_int_equal(scap_source_next(boundary_before_source(before), 0, &event), -ENODATA);
	boundary_before_dropped(before, dropped);
	assert_int_equal(dropped[EVENT_close], 2);
	destroy(before);
}

static void test_the_latest_are_remembered(void **state)
{
	static struct moment many[BOUNDARY_SEEN_MAX + 2];
	struct script script = SCRIPT({0});
	struct boundary_before *before;
	uint64_t earliest = UINT64_MAX;
	const struct boundary_seen *seen;
	size_t count;

	for (size_t i = 0; i < BOUNDARY_SEEN_MAX + 1; i++)
		many[i] = (struct moment){.ts_ns = 90 * MS + i, .tid = i};
	script.moments = many;
	before = create(&script, 100 * MS);
	expect_moments(boundary_before_source(before), many);
	seen = boundary_before_seen(before, &count);
	assert_int_equal(count, BOUNDARY_SEEN_MAX);
	for (size_t i = 0; i < count; i++)
		earliest = seen[i].ts_ns < earliest ? seen[i].ts_ns : earliest;
	assert_int_equal(earliest, 90 * MS + 1);
	destroy(before);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_up_to_the_boundary),
	cmocka_unit_test(test_time_has_to_pass),
	cmocka_unit_test(test_not_reached_between_events),
	cmocka_unit_test(test_cancelled),
	cmocka_unit_test(test_confirmed),
	cmocka_unit_test(test_the_latest_are_remembered),
};

UNIT_GROUP(tests);
