/* SPDX-License-Identifier: MIT */
/* From one capture to another: every event once, in the order of time, and none forgotten. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "takeover/handover.h"
#include "script.h"
#include "unit.h"

enum { MANY = 2000 };

#define EXPECT(handover, ...) EXPECT_MOMENTS(scap_handover_source(handover), __VA_ARGS__)

static uint64_t copies_of(const struct scap_handover *handover)
{
	uint64_t copies[EVENT_ID_MAX];

	scap_handover_copies(handover, copies);
	return copies[EVENT_close];
}

static struct scap_handover *create(struct script *old)
{
	struct scap_handover *handover;

	assert_int_equal(scap_handover_create(&old->source, &handover), 0);
	return handover;
}

static void destroy(struct scap_handover *handover)
{
	scap_source_destroy(scap_handover_source(handover));
}

static void test_one_source_alone(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {2 * MS, 7});
	struct scap_handover *handover = create(&old);

	EXPECT(handover, {1 * MS, 7}, {2 * MS, 7}, {2 * MS, 7});
	assert_false(scap_handover_is_done(handover));
	destroy(handover);
}

static void test_each_event_once(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 7}, {4 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7}, {2 * MS + 9, 8}, {3 * MS + 9, 7},
				     {4 * MS + 9, 7}, {5 * MS, 7}, {6 * MS, 9});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	EXPECT(handover, {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 7}, {4 * MS, 7}, {5 * MS, 7},
	       {6 * MS, 9});
	assert_int_equal(copies_of(handover), 4);
	destroy(handover);
}

/* Each capture measures by itself how long a call took, if at all. */
static void test_latencies_make_no_difference(void **state)
{
	struct script old = SCRIPT({1 * MS, 7, 500}, {2 * MS, 7, 500}, {3 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7, 509}, {2 * MS + 9, 7}, {3 * MS + 9, 7, 9});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	EXPECT(handover, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7});
	assert_int_equal(copies_of(handover), 3);
	destroy(handover);
}

static void test_what_one_alone_has(void **state)
{
	/* Of another kind, or lost by the other: no copy. */
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {5 * MS, 9});
	struct script fresh = SCRIPT({2 * MS + 9, 7}, {3 * MS, 8}, {4 * MS, 7});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	EXPECT(handover, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 8}, {4 * MS, 7}, {5 * MS, 9});
	assert_int_equal(copies_of(handover), 1);
	destroy(handover);
}

static void test_the_new_one_ran_before_it_was_joined(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7}, {4 * MS, 7});
	struct script fresh =
		SCRIPT({2 * MS + 9, 7}, {3 * MS - 9, 8}, {3 * MS + 9, 7}, {4 * MS + 9, 7});
	struct scap_handover *handover = create(&old);

	old.now_ns = 3 * MS + 1;
	EXPECT(handover, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7});
	/* Copies of these are known, though the last came after what was given last. */
	scap_handover_join(handover, &fresh.source);
	old.now_ns = UINT64_MAX;
	EXPECT(handover, {4 * MS, 7});
	assert_int_equal(copies_of(handover), 4);
	destroy(handover);
}

static void test_one_waits_for_the_other(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {3 * MS, 7});
	struct script fresh = SCRIPT({2 * MS, 8}, {3 * MS + 9, 7}, {4 * MS, 8});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	old.now_ns = 2 * MS;
	fresh.now_ns = 3 * MS - 1;
	EXPECT(handover, {1 * MS, 7});
	old.now_ns = 2 * MS + 1;
	EXPECT(handover, {2 * MS, 8});
	old.now_ns = 4 * MS;
	EXPECT(handover, {0});
	fresh.now_ns = 5 * MS;
	EXPECT(handover, {3 * MS, 7});
	old.now_ns = 5 * MS;
	EXPECT(handover, {4 * MS, 8});
	destroy(handover);
}

static void test_a_copy_that_comes_first(void **state)
{
	struct script old = SCRIPT({1 * MS + 9, 7}, {2 * MS, 7});
	struct script fresh = SCRIPT({1 * MS, 7}, {2 * MS + 9, 7});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	EXPECT(handover, {1 * MS, 7}, {2 * MS, 7});
	assert_int_equal(copies_of(handover), 2);
	destroy(handover);
}

static void test_copies_are_near(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + HANDOVER_COPY_NS, 7});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	EXPECT(handover, {1 * MS, 7}, {1 * MS + HANDOVER_COPY_NS, 7});
	assert_int_equal(copies_of(handover), 0);
	destroy(handover);
}

/* A busy machine: many events come between an event and its copy. */
static void test_many_wait_for_their_copies(void **state)
{
	static struct moment first[MANY + 1], second[MANY + 1];
	struct script old = SCRIPT({0}), fresh = SCRIPT({0});
	struct scap_handover *handover = create(&old);

	for (size_t i = 0; i < MANY; i++) {
		first[i] = (struct moment){1 * MS + i, i};
		second[i] = (struct moment){2 * MS + i, i};
	}
	old.moments = first;
	fresh.moments = second;
	scap_handover_join(handover, &fresh.source);
	expect_moments(scap_handover_source(handover), first);
	assert_int_equal(copies_of(handover), MANY);
	destroy(handover);
}

static void test_when_it_is_done(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7}, {90 * MS, 7});
	struct scap_handover *handover = create(&old);

	scap_handover_join(handover, &fresh.source);
	fresh.now_ns = 2 * MS;
	EXPECT(handover, {1 * MS, 7});
	assert_false(scap_handover_is_done(handover)); /* the old one runs */
	old.stopped = true;
	EXPECT(handover, {0});
	assert_false(scap_handover_is_done(handover)); /* copies may follow */
	fresh.now_ns = 1 * MS + HANDOVER_COPY_NS + 1;
	EXPECT(handover, {0});
	assert_true(scap_handover_is_done(handover));
	fresh.now_ns = UINT64_MAX;
	fresh.stopped = true;
	EXPECT(handover, {90 * MS, 7});
	assert_true(scap_handover_is_done(handover));
	destroy(handover);
}

static void test_it_is_done_without_a_pause(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({20 * MS, 8}, {30 * MS, 7}, {31 * MS, 7});
	struct scap_handover *handover = create(&old);
	struct scap_event event;

	scap_handover_join(handover, &fresh.source);
	old.stopped = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(scap_source_next(scap_handover_source(handover), 0, &event), 1);
		assert_false(scap_handover_is_done(handover));
	}
	assert_int_equal(scap_source_next(scap_handover_source(handover), 0, &event), 1);
	assert_true(scap_handover_is_done(handover));
	destroy(handover);
}

static void test_ends(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7});
	struct scap_handover *handover = create(&old);
	struct scap_event event;

	scap_handover_join(handover, &fresh.source);
	old.stopped = fresh.stopped = true;
	EXPECT(handover, {1 * MS, 7});
	assert_int_equal(scap_source_next(scap_handover_source(handover), 0, &event), -ENODATA);
	destroy(handover);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_source_alone),
	cmocka_unit_test(test_each_event_once),
	cmocka_unit_test(test_latencies_make_no_difference),
	cmocka_unit_test(test_what_one_alone_has),
	cmocka_unit_test(test_the_new_one_ran_before_it_was_joined),
	cmocka_unit_test(test_one_waits_for_the_other),
	cmocka_unit_test(test_a_copy_that_comes_first),
	cmocka_unit_test(test_copies_are_near),
	cmocka_unit_test(test_many_wait_for_their_copies),
	cmocka_unit_test(test_when_it_is_done),
	cmocka_unit_test(test_it_is_done_without_a_pause),
	cmocka_unit_test(test_ends),
};

UNIT_GROUP(tests);
