/* SPDX-License-Identifier: MIT */
/* A capture begins at a boundary: what another one had is hidden, nothing else is. */
#include <errno.h>

#include "event/event.h"
#include "takeover/boundary.h"
#include "script.h"
#include "unit.h"

enum { BOUNDARY = 100 };

static struct scap_beginning *create(struct script *script)
{
	struct scap_beginning *beginning;

	assert_int_equal(scap_beginning_create(&script->source, &beginning), 0);
	return beginning;
}

static void destroy(struct scap_beginning *beginning)
{
	scap_source_destroy(scap_beginning_source(beginning));
}

/* Begins at the boundary, with what the other one gave before it. */
static void open(struct scap_beginning *beginning, const struct moment *others)
{
	struct script script = {.source.ops = &script_ops, .moments = others, .now_ns = UINT64_MAX};
	struct scap_ending *ending;
	const struct boundary_seen *seen;
	size_t count;

	assert_int_equal(scap_ending_create(&script.source, BOUNDARY * MS, &ending), 0);
	expect_moments(scap_ending_source(ending), others);
	seen = scap_ending_seen(ending, &count);
	assert_int_equal(scap_beginning_open(beginning, seen, count), 0);
	scap_source_destroy(scap_ending_source(ending));
}

#define OPEN(beginning, ...) open(beginning, (const struct moment[]){__VA_ARGS__, {0}})

static uint64_t hidden_by(const struct scap_beginning *beginning)
{
	uint64_t hidden[EVENT_ID_MAX];

	scap_beginning_hidden(beginning, hidden);
	return hidden[EVENT_close];
}

static void test_hidden_without_boundary(void **state)
{
	struct script script = SCRIPT({1 * MS, 7}, {2 * MS, 8});
	struct scap_beginning *beginning = create(&script);

	EXPECT_MOMENTS(scap_beginning_source(beginning), {1 * MS, 7, .hidden = true},
		       {2 * MS, 8, .hidden = true});
	assert_int_equal(hidden_by(beginning), 2);
	destroy(beginning);
}

static void test_waits_near_the_boundary(void **state)
{
	struct script script = SCRIPT({10 * MS, 7}, {99 * MS, 7}, {101 * MS, 7});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, BOUNDARY * MS);
	EXPECT_MOMENTS(scap_beginning_source(beginning), {10 * MS, 7, .hidden = true});
	EXPECT_NO_MOMENTS(scap_beginning_source(beginning));
	/* Its frame is kept, whatever becomes of the source's memory. */
	script.frame.header.ts = 1;
	OPEN(beginning, {99 * MS - 5, 7});
	EXPECT_MOMENTS(scap_beginning_source(beginning), {99 * MS, 7, .hidden = true},
		       {101 * MS, 7});
	assert_int_equal(hidden_by(beginning), 2);
	destroy(beginning);
}

/* At the same tracepoint the other one had it before the boundary, this one after it. */
static void test_copies_behind_the_boundary(void **state)
{
	struct script script =
		SCRIPT({99 * MS, 7}, {100 * MS + 1, 7}, {100 * MS + 2, 8}, {100 * MS + 9, 7});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, BOUNDARY * MS);
	OPEN(beginning, {99 * MS - 1, 7}, {100 * MS - 1, 7});
	EXPECT_MOMENTS(scap_beginning_source(beginning), {99 * MS, 7, .hidden = true},
		       {100 * MS + 1, 7, .hidden = true}, {100 * MS + 2, 8}, {100 * MS + 9, 7});
	destroy(beginning);
}

/* The same bytes again and again: only those of the other one are hidden. */
static void test_events_that_are_the_same(void **state)
{
	struct script script =
		SCRIPT({99 * MS + 2, 7}, {99 * MS + 12, 7}, {100 * MS + 2, 7}, {100 * MS + 12, 7});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, BOUNDARY * MS);
	OPEN(beginning, {99 * MS, 7}, {99 * MS + 10, 7});
	EXPECT_MOMENTS(scap_beginning_source(beginning), {99 * MS + 2, 7, .hidden = true},
		       {99 * MS + 12, 7, .hidden = true}, {100 * MS + 2, 7}, {100 * MS + 12, 7});
	destroy(beginning);
}

static void test_copies_are_near(void **state)
{
	struct script script = SCRIPT({119 * MS + MS / 2, 7});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, BOUNDARY * MS);
	OPEN(beginning, {99 * MS, 7});
	EXPECT_MOMENTS(scap_beginning_source(beginning), {119 * MS + MS / 2, 7});
	destroy(beginning);
}

static void test_a_later_boundary(void **state)
{
	struct script script = SCRIPT({50 * MS, 7}, {70 * MS, 7}, {100 * MS, 8});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, 60 * MS);
	EXPECT_NO_MOMENTS(scap_beginning_source(beginning));
	scap_beginning_set(beginning, BOUNDARY * MS);
	OPEN(beginning, {70 * MS - 1, 7});
	EXPECT_MOMENTS(scap_beginning_source(beginning), {50 * MS, 7, .hidden = true},
		       {70 * MS, 7, .hidden = true}, {100 * MS, 8});
	destroy(beginning);
}

static void test_over(void **state)
{
	struct script script = SCRIPT({100 * MS, 7}, {121 * MS, 7}, {122 * MS, 7});
	struct scap_beginning *beginning = create(&script);
	struct scap_event event;

	scap_beginning_set(beginning, BOUNDARY * MS);
	assert_int_equal(scap_beginning_open(beginning, NULL, 0), 0);
	assert_int_equal(scap_source_next(scap_beginning_source(beginning), 0, &event), 1);
	assert_false(scap_beginning_is_over(beginning));
	assert_int_equal(scap_source_next(scap_beginning_source(beginning), 0, &event), 1);
	assert_true(scap_beginning_is_over(beginning));
	EXPECT_MOMENTS(scap_beginning_source(beginning), {122 * MS, 7});
	destroy(beginning);
}

static void test_over_without_events(void **state)
{
	struct script script = SCRIPT({0});
	struct scap_beginning *beginning = create(&script);

	scap_beginning_set(beginning, BOUNDARY * MS);
	assert_int_equal(scap_beginning_open(beginning, NULL, 0), 0);
	script.now_ns = 119 * MS;
	EXPECT_NO_MOMENTS(scap_beginning_source(beginning));
	assert_false(scap_beginning_is_over(beginning));
	script.now_ns = 120 * MS;
	EXPECT_NO_MOMENTS(scap_beginning_source(beginning));
	assert_true(scap_beginning_is_over(beginning));
	destroy(beginning);
}

static void test_the_end_of_the_source(void **state)
{
	struct script script = SCRIPT({1 * MS, 7});
	struct scap_beginning *beginning = create(&script);
	struct scap_event event;

	script.stopped = true;
	EXPECT_MOMENTS(scap_beginning_source(beginning), {1 * MS, 7, .hidden = true});
	assert_int_equal(scap_source_next(scap_beginning_source(beginning), 0, &event), -ENODATA);
	destroy(beginning);
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
