/* SPDX-License-Identifier: MIT */
/* A capture ends at a boundary: what is before it comes, the rest is held, dropped or given. */
#include <errno.h>

#include "event/event.h"
#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

static struct scap_ending *create(struct script *script, uint64_t boundary_ns)
{
	struct scap_ending *ending;

	assert_int_equal(scap_ending_create(&script->source, boundary_ns, &ending), 0);
	return ending;
}

static void destroy(struct scap_ending *ending)
{
	scap_source_destroy(scap_ending_source(ending));
}

static void test_up_to_the_boundary(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {100 * MS - 1, 8}, {100 * MS, 9});
	struct scap_ending *ending = create(&script, 100 * MS);
	size_t count;

	assert_false(scap_ending_is_reached(ending));
	EXPECT_MOMENTS(scap_ending_source(ending), {50 * MS, 7}, {100 * MS - 1, 8});
	assert_true(scap_ending_is_reached(ending));
	/* The first one is too early to have a copy after the boundary. */
	assert_int_equal(scap_ending_seen(ending, &count)->ts_ns, 100 * MS - 1);
	assert_int_equal(count, 1);
	EXPECT_NO_MOMENTS(scap_ending_source(ending));
	destroy(ending);
}

/* What the rings had is not all that will come, as long as time has not gone on. */
static void test_time_has_to_pass(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {100 * MS - 1, 8});
	struct scap_ending *ending = create(&script, 100 * MS);

	script.now_ns = 60 * MS;
	EXPECT_MOMENTS(scap_ending_source(ending), {50 * MS, 7});
	assert_false(scap_ending_is_reached(ending));
	script.now_ns = 100 * MS;
	EXPECT_MOMENTS(scap_ending_source(ending), {100 * MS - 1, 8});
	assert_true(scap_ending_is_reached(ending));
	destroy(ending);
}

/* All that is settled may still wait to be taken. */
static void test_not_reached_between_events(void **state)
{
	struct script script = SCRIPT({98 * MS, 7}, {99 * MS, 7});
	struct scap_ending *ending = create(&script, 100 * MS);
	struct scap_event event;

	assert_int_equal(scap_source_next(scap_ending_source(ending), 0, &event), 1);
	assert_false(scap_ending_is_reached(ending));
	EXPECT_MOMENTS(scap_ending_source(ending), {99 * MS, 7});
	assert_true(scap_ending_is_reached(ending));
	destroy(ending);
}

static void test_cancelled(void **state)
{
	struct script script = SCRIPT({99 * MS, 7}, {100 * MS, 8}, {101 * MS, 9});
	struct scap_ending *ending = create(&script, 100 * MS);
	struct scap_event event;

	EXPECT_MOMENTS(scap_ending_source(ending), {99 * MS, 7});
	scap_ending_cancel(ending);
	assert_false(scap_ending_is_over(ending));
	assert_int_equal(scap_source_next(scap_ending_source(ending), 0, &event), 1);
	assert_true(scap_ending_is_over(ending));
	EXPECT_MOMENTS(scap_ending_source(ending), {101 * MS, 9});
	destroy(ending);
}

static void test_confirmed(void **state)
{
	struct script script = SCRIPT({99 * MS, 7}, {100 * MS, 8}, {101 * MS, 9});
	struct scap_ending *ending = create(&script, 100 * MS);
	uint64_t dropped[EVENT_ID_MAX];
	struct scap_event event;

	EXPECT_MOMENTS(scap_ending_source(ending), {99 * MS, 7});
	script.stopped = true;
	scap_ending_confirm(ending);
	assert_int_equal(scap_source_next(scap_ending_source(ending), 0, &event), -ENODATA);
	scap_ending_dropped(ending, dropped);
	assert_int_equal(dropped[EVENT_close], 2);
	destroy(ending);
}

static void test_the_latest_are_remembered(void **state)
{
	static struct moment many[BOUNDARY_SEEN_MAX + 2];
	struct script script = SCRIPT({0});
	struct scap_ending *ending;
	uint64_t earliest = UINT64_MAX;
	const struct boundary_seen *seen;
	size_t count;

	for (size_t i = 0; i < BOUNDARY_SEEN_MAX + 1; i++)
		many[i] = (struct moment){.ts_ns = 90 * MS + i, .tid = i};
	script.moments = many;
	ending = create(&script, 100 * MS);
	expect_moments(scap_ending_source(ending), many);
	seen = scap_ending_seen(ending, &count);
	assert_int_equal(count, BOUNDARY_SEEN_MAX);
	for (size_t i = 0; i < count; i++)
		earliest = seen[i].ts_ns < earliest ? seen[i].ts_ns : earliest;
	assert_int_equal(earliest, 90 * MS + 1);
	destroy(ending);
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
