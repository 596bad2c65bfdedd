/* SPDX-License-Identifier: MIT */
/* A capture begins at a boundary: what another one had is hidden, nothing else is. */
#include <errno.h>

#include "event/event.h"
#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

enum { BOUNDARY = 100 };

static struct boundary_after *create(struct script *script)
{
	struct boundary_after *after;

	assert_int_equal(boundary_after_create(&script->source, &after), 0);
	return after;
}

static void destroy(struct boundary_after *after)
{
	scap_source_destroy(boundary_after_source(after));
}

/* Begins at the boundary, with what the other one gave before it. */
static void open_boundary(struct boundary_after *after, const struct moment *others)
{
	struct script script = {.source.ops = &script_ops, .moments = others, .now_ns = UINT64_MAX};
	struct boundary_before *before;
	const struct boundary_seen *seen;
	size_t count;

	assert_int_equal(boundary_before_create(&script.source, BOUNDARY * MS, &before), 0);
	expect_moments(boundary_before_source(before), others);
	seen = boundary_before_seen(before, &count);
	assert_int_equal(boundary_after_open(after, seen, count), 0);
	scap_source_destroy(boundary_before_source(before));
}

#define OPEN(after, ...) open_boundary(after, (const struct moment[]){__VA_ARGS__, {0}})

static uint64_t hidden_by(const struct boundary_after *after)
{
	uint64_t hidden[EVENT_ID_MAX];

	boundary_after_hidden(after, hidden);
	return hidden[EVENT_close];
}

static void test_hidden_without_boundary(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8});
	struct boundary_after *after = create(&script);

	EXPECT_MOMENTS(boundary_after_source(after), {1 * MS, 7, .hidden = true},
		       {2 * MS, 8, .hidden = true});
	assert_int_equal(hidden_by(after), 2);
	destroy(after);
}

static void test_waits_near_the_boundary(void **state)
{
	struct script script = SCRIPT({10 * MS, 7}, {99 * MS, 7}, {101 * MS, 7});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, BOUNDARY * MS);
	EXPECT_MOMENTS(boundary_after_source(after), {10 * MS, 7, .hidden = true});
	EXPECT_NO_MOMENTS(boundary_after_source(after));
	/* Its frame is kept, whatever becomes of the source's memory. */
	script.frame.header.ts = 1;
	OPEN(after, {99 * MS - 5, 7});
	EXPECT_MOMENTS(boundary_after_source(after), {99 * MS, 7, .hidden = true}, {101 * MS, 7});
	assert_int_equal(hidden_by(after), 2);
	destroy(after);
}

/* At the same tracepoint the other one had it before the boundary, this one after it. */
static void test_copies_behind_the_boundary(void **state)
{
	struct script script =
		SCRIPT({99 * MS, 7}, {100 * MS + 1, 7}, {100 * MS + 2, 8}, {100 * MS + 9, 7});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, BOUNDARY * MS);
	OPEN(after, {99 * MS - 1, 7}, {100 * MS - 1, 7});
	EXPECT_MOMENTS(boundary_after_source(after), {99 * MS, 7, .hidden = true},
		       {100 * MS + 1, 7, .hidden = true}, {100 * MS + 2, 8}, {100 * MS + 9, 7});
	destroy(after);
}

/* The same bytes again and again: only those of the other one are hidden. */
static void test_events_that_are_the_same(void **state)
{
	struct script script =
		SCRIPT({99 * MS + 2, 7}, {99 * MS + 12, 7}, {100 * MS + 2, 7}, {100 * MS + 12, 7});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, BOUNDARY * MS);
	OPEN(after, {99 * MS, 7}, {99 * MS + 10, 7});
	EXPECT_MOMENTS(boundary_after_source(after), {99 * MS + 2, 7, .hidden = true},
		       {99 * MS + 12, 7, .hidden = true}, {100 * MS + 2, 7}, {100 * MS + 12, 7});
	destroy(after);
}

static void test_copies_are_near(void **state)
{
	struct script script = SCRIPT({119 * MS + MS / 2, 7});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, BOUNDARY * MS);
	OPEN(after, {99 * MS, 7});
	EXPECT_MOMENTS(boundary_after_source(after), {119 * MS + MS / 2, 7});
	destroy(after);
}

static void test_a_later_boundary(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {70 * MS, 7}, {100 * MS, 8});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, 60 * MS);
	EXPECT_NO_MOMENTS(boundary_after_source(after));
	boundary_after_set(after, BOUNDARY * MS);
	OPEN(after, {70 * MS - 1, 7});
	EXPECT_MOMENTS(boundary_after_source(after), {50 * MS, 7, .hidden = true},
		       {70 * MS, 7, .hidden = true}, {100 * MS, 8});
	destroy(after);
}

static void test_over(void **state)
{
	struct script script = SCRIPT({100 * MS, 7}, {121 * MS, 7}, {122 * MS, 7});
	struct boundary_after *after = create(&script);
	struct scap_event event;

	boundary_after_set(after, BOUNDARY * MS);
	assert_int_equal(boundary_after_open(after, NULL, 0), 0);
	assert_int_equal(scap_source_next(boundary_after_source(after), 0, &event), 1);
	assert_false(boundary_after_is_over(after));
	assert_int_equal(scap_source_next(boundary_after_source(after), 0, &event), 1);
	assert_true(boundary_after_is_over(after));
	EXPECT_MOMENTS(boundary_after_source(after), {122 * MS, 7});
	destroy(after);
}

static void test_over_without_events(void **state)
{
	struct script script = SCRIPT({0});
	struct boundary_after *after = create(&script);

	boundary_after_set(after, BOUNDARY * MS);
	assert_int_equal(boundary_after_open(after, NULL, 0), 0);
	script.now_ns = 119 * MS;
	EXPECT_NO_MOMENTS(boundary_after_source(after));
	assert_false(boundary_after_is_over(after));
	script.now_ns = 120 * MS;
	EXPECT_NO_MOMENTS(boundary_after_source(after));
	assert_true(boundary_after_is_over(after));
	destroy(after);
}

static void test_the_end_of_the_source(void **state)
{
	struct script script = SCRIPT({1 * MS, 7});
	struct boundary_after *after = create(&script);
	struct scap_event event;

	script.stopped = true;
	EXPECT_MOMENTS(boundary_after_source(after), {1 * MS, 7, .hidden = true});
	assert_int_equal(scap_source_next(boundary_after_source(after), 0, &event), -ENODATA);
	destroy(after);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hidden_without_boundary),
	cmocka_unit_test(test_waits_near_the_boundary),
	cmocka_unit_test(test_copies_behind_the_boundary),
	cmocka_unit_test(test_events_that_are_the_same),
	cmocka_unit_test(test_copies_are_near),
	cmocka_unit_test(test_a_later_boundary),
	cmocka_unit_test(test_over),
	cmocka_unit_test(test_over_without_events),
	cmocka_unit_test(test_the_end_of_the_source),
};

UNIT_GROUP(tests);
