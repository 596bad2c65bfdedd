/* SPDX-License-Identifier: MIT */
/* The boundary between two captures: clocks with other offsets, and events of the other's account.
 */
#include <errno.h>
#include <stdlib.h>

#include "takeover/boundary.h"
#include "scap/live/live.h"
#include "script.h"
#include "unit.h"
#include "util/clock.h"

#define SECOND UINT64_C(1000000000)

static void expect_others(const struct boundary *boundary, uint64_t count)
{
	struct scap_live_stats stats = {0};

	stats.seen[EVENT_close] = stats.delivered[EVENT_close] = 10;
	boundary_subtract(boundary, &stats);
	assert_int_equal(stats.seen[EVENT_close], 10 - count);
	assert_int_equal(stats.delivered[EVENT_close], 10 - count);
}

static void test_none(void **state)
{
	struct boundary boundary = {0};

	assert_null(boundary_source(&boundary));
	assert_false(boundary_step(&boundary));
	expect_others(&boundary, 0);
	boundary_finish(&boundary);
}

static void test_the_past(void **state)
{
	struct script script = SCRIPT({1 * MS, 7});
	struct boundary boundary = {.inner = &script.source};

	assert_int_equal(boundary_end_at(&boundary, clock_ns(CLOCK_BOOTTIME)), -EAGAIN);
	assert_null(boundary_source(&boundary));
}

/* The offsets of the two are 5 and 70 seconds. */
static void test_from_one_to_the_other(void **state)
{
	uint64_t at = clock_ns(CLOCK_BOOTTIME) + 1000 * SECOND;
	uint64_t old_at = at + 5 * SECOND, new_at = at + 70 * SECOND;
	struct script old_script =
		SCRIPT({old_at - MS, 7}, {old_at - 1, 8}, {old_at, 9}, {old_at + MS, 7});
	struct script new_script = SCRIPT({new_at - MS + 1, 7}, {new_at + 1, 8}, {new_at + 2, 9},
					  {new_at + MS, 7}, {new_at + 30 * MS, 7});
	struct boundary old = {.inner = &old_script.source, .offset_ns = 5 * SECOND};
	struct boundary fresh = {.inner = &new_script.source, .offset_ns = 70 * SECOND};
	struct boundary_seen *seen;
	struct scap_event event;
	size_t count;

	assert_int_equal(boundary_begin(&fresh), 0);
	boundary_set(&fresh, at);
	assert_int_equal(boundary_hold(&fresh, 0), 0);
	EXPECT_NO_MOMENTS(boundary_source(&fresh));
	assert_int_equal(boundary_end_at(&old, at), 0);
	EXPECT_MOMENTS(boundary_source(&old), {old_at - MS, 7}, {old_at - 1, 8});
	assert_true(boundary_is_reached(&old));
	assert_int_equal(boundary_seen(&old, &seen, &count), 0);
	assert_int_equal(count, 2);
	boundary_confirm(&old);
	old_script.stopped = true;
	assert_int_equal(scap_source_next(boundary_source(&old), 0, &event), -ENODATA);
	expect_others(&old, 2);
	assert_int_equal(boundary_open(&fresh, seen, count), 0);
	EXPECT_MOMENTS(boundary_source(&fresh), {new_at - MS + 1, 7, .hidden = true},
		       {new_at + 1, 8, .hidden = true}, {new_at + 2, 9}, {new_at + MS, 7},
		       {new_at + 30 * MS, 7});
	expect_others(&fresh, 2);
	assert_false(boundary_step(&fresh));
	assert_null(boundary_source(&fresh));
	expect_others(&fresh, 2);
	free(seen);
	boundary_finish(&old);
	boundary_finish(&fresh);
}

static void test_cancelled(void **state)
{
	uint64_t at = clock_ns(CLOCK_BOOTTIME) + 1000 * SECOND;
	struct script script = SCRIPT({at - 1, 7}, {at, 8}, {at + 1, 9});
	struct boundary boundary = {.inner = &script.source};

	assert_int_equal(boundary_end_at(&boundary, at), 0);
	EXPECT_MOMENTS(boundary_source(&boundary), {at - 1, 7});
	boundary_cancel(&boundary);
	assert_true(boundary_step(&boundary));
	EXPECT_MOMENTS(boundary_source(&boundary), {at, 8}, {at + 1, 9});
	assert_false(boundary_step(&boundary));
	expect_others(&boundary, 0);
	boundary_finish(&boundary);
}

/* It is not over as long as events are in memory. */
static void test_events_in_memory(void **state)
{
	struct script script = SCRIPT({100 * MS, 7}, {200 * MS, 8}, {201 * MS, 9});
	struct boundary boundary = {.inner = &script.source};
	struct scap_event event;

	assert_int_equal(boundary_begin(&boundary), 0);
	boundary_set(&boundary, 100 * MS);
	assert_int_equal(boundary_hold(&boundary, 0), 0);
	assert_int_equal(boundary_open(&boundary, NULL, 0), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(scap_source_next(boundary_source(&boundary), 0, &event), 1);
	assert_true(boundary_step(&boundary));
	EXPECT_MOMENTS(boundary_source(&boundary), {201 * MS, 9});
	assert_false(boundary_step(&boundary));
	boundary_finish(&boundary);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_none),
	cmocka_unit_test(test_the_past),
	cmocka_unit_test(test_from_one_to_the_other),
	cmocka_unit_test(test_cancelled),
	cmocka_unit_test(test_events_in_memory),
};

UNIT_GROUP(tests);
