/* SPDX-License-Identifier: MIT */
/* From one capture to another: every event once, in the order of time, and none forgotten. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "takeover/takeover_merge.h"
#include "script.h"
#include "unit.h"

enum { MANY = 2000 };

#define EXPECT(merge, ...) EXPECT_MOMENTS(takeover_merge_source(merge), __VA_ARGS__)

static uint64_t copies_of(const struct takeover_merge *merge)
{
	uint64_t copies[EVENT_ID_MAX];

	takeover_merge_copies(merge, copies);
	return copies[EVENT_close];
}

static struct takeover_merge *create(struct script *old)
{
	struct takeover_merge *merge;

	assert_int_equal(takeover_merge_create(&old->source, &merge), 0);
	return merge;
}

static void destroy(struct takeover_merge *merge)
{
	scap_source_destroy(takeover_merge_source(merge));
}

static void test_one_source_alone(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {2 * MS, 7});
	struct takeover_merge *merge = create(&old);

	EXPECT(merge, {1 * MS, 7}, {2 * MS, 7}, {2 * MS, 7});
	assert_false(takeover_merge_is_done(merge));
	destroy(merge);
}

static void test_each_event_once(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 8}, {3 * MS, 7}, {4 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7}, {2 * MS + 9, 8}, {3 * MS + 9, 7},
				     {4 * MS + 9, 7}, {5 * MS, 7}, {6 * MS, 9});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	EXPECT(merge, {1 * MS, 7}, {2 * MS, 8}, {3 * MS, 7}, {4 * MS, 7}, {5 * MS, 7}, {6 * MS, 9});
	assert_int_equal(copies_of(merge), 4);
	destroy(merge);
}

/* Each capture measures by itself how long a call took, if at all. */
static void test_latencies_make_no_difference(void **state)
{
	struct script old = SCRIPT({1 * MS, 7, 500}, {2 * MS, 7, 500}, {3 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7, 509}, {2 * MS + 9, 7}, {3 * MS + 9, 7, 9});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	EXPECT(merge, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7});
	assert_int_equal(copies_of(merge), 3);
	destroy(merge);
}

/*
 * Where only the new capture has the environments of programs, its exec events are taken, once it
 * has all of them; of those that it lost it has the account.
 */
static void test_execs_of_the_new_one(void **state)
{
	struct script old =
		SCRIPT({1 * MS, 7, .type = EVENT_execve}, {3 * MS, 7, .type = EVENT_execve},
		       {4 * MS, 7}, {5 * MS, 8, .type = EVENT_execveat});
	struct script fresh = SCRIPT({1 * MS + 9, 7, .type = EVENT_execve},
				     {3 * MS + 9, 7, .type = EVENT_execve}, {4 * MS + 9, 7});
	struct takeover_merge *merge = create(&old);
	uint64_t copies[EVENT_ID_MAX];

	takeover_merge_join(merge, &fresh.source);
	takeover_merge_replace_execs(merge, 2 * MS);
	EXPECT(merge, {1 * MS, 7}, {3 * MS + 9, 7}, {4 * MS, 7});
	takeover_merge_copies(merge, copies);
	assert_int_equal(copies[EVENT_execve], 2);
	assert_int_equal(copies[EVENT_execveat], 1);
	destroy(merge);
}

/* The same of calls on sockets, where only the new one says where their bytes are. */
static void test_streams_of_the_new_one(void **state)
{
	struct script old = SCRIPT(
		{1 * MS, 7, .type = EVENT_write}, {3 * MS, 7, .type = EVENT_write}, {4 * MS, 7},
		{5 * MS, 7, .type = EVENT_accept4}, {6 * MS, 7, .type = EVENT_execve});
	struct script fresh =
		SCRIPT({1 * MS + 9, 7, .type = EVENT_write}, {3 * MS + 9, 7, .type = EVENT_write},
		       {4 * MS + 9, 7}, {5 * MS + 9, 7, .type = EVENT_accept4},
		       {6 * MS + 9, 7, .type = EVENT_execve});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	takeover_merge_replace_streams(merge, 2 * MS);
	EXPECT(merge, {1 * MS, 7}, {3 * MS + 9, 7}, {4 * MS, 7}, {5 * MS + 9, 7}, {6 * MS, 7});
	destroy(merge);
}

static void test_what_one_alone_has(void **state)
{
	/* Of another kind, or lost by the other: no copy. */
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {5 * MS, 9});
	struct script fresh = SCRIPT({2 * MS + 9, 7}, {3 * MS, 8}, {4 * MS, 7});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	EXPECT(merge, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 8}, {4 * MS, 7}, {5 * MS, 9});
	assert_int_equal(copies_of(merge), 1);
	destroy(merge);
}

static void test_the_new_one_ran_before_it_was_joined(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7}, {4 * MS, 7});
	struct script fresh =
		SCRIPT({2 * MS + 9, 7}, {3 * MS - 9, 8}, {3 * MS + 9, 7}, {4 * MS + 9, 7});
	struct takeover_merge *merge = create(&old);

	old.now_ns = 3 * MS + 1;
	EXPECT(merge, {1 * MS, 7}, {2 * MS, 7}, {3 * MS, 7});
	/* Copies of these are known, though the last came after what was given last. */
	takeover_merge_join(merge, &fresh.source);
	old.now_ns = UINT64_MAX;
	EXPECT(merge, {4 * MS, 7});
	assert_int_equal(copies_of(merge), 4);
	destroy(merge);
}

static void test_one_waits_for_the_other(void **state)
{
	struct script old = SCRIPT({1 * MS, 7}, {3 * MS, 7});
	struct script fresh = SCRIPT({2 * MS, 8}, {3 * MS + 9, 7}, {4 * MS, 8});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	old.now_ns = 2 * MS;
	fresh.now_ns = 3 * MS - 1;
	EXPECT(merge, {1 * MS, 7});
	old.now_ns = 2 * MS + 1;
	EXPECT(merge, {2 * MS, 8});
	old.now_ns = 4 * MS;
	EXPECT(merge, {0});
	fresh.now_ns = 5 * MS;
	EXPECT(merge, {3 * MS, 7});
	old.now_ns = 5 * MS;
	EXPECT(merge, {4 * MS, 8});
	destroy(merge);
}

static void test_a_copy_that_comes_first(void **state)
{
	struct script old = SCRIPT({1 * MS + 9, 7}, {2 * MS, 7});
	struct script fresh = SCRIPT({1 * MS, 7}, {2 * MS + 9, 7});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	EXPECT(merge, {1 * MS, 7}, {2 * MS, 7});
	assert_int_equal(copies_of(merge), 2);
	destroy(merge);
}

static void test_copies_are_near(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + TAKEOVER_MERGE_COPY_NS, 7});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	EXPECT(merge, {1 * MS, 7}, {1 * MS + TAKEOVER_MERGE_COPY_NS, 7});
	assert_int_equal(copies_of(merge), 0);
	destroy(merge);
}

/* A busy machine: many events come between an event and its copy. */
static void test_many_wait_for_their_copies(void **state)
{
	static struct moment first[MANY + 1], second[MANY + 1];
	struct script old = SCRIPT({0}), fresh = SCRIPT({0});
	struct takeover_merge *merge = create(&old);

	for (size_t i = 0; i < MANY; i++) {
		first[i] = (struct moment){1 * MS + i, i};
		second[i] = (struct moment){2 * MS + i, i};
	}
	old.moments = first;
	fresh.moments = second;
	takeover_merge_join(merge, &fresh.source);
	expect_moments(takeover_merge_source(merge), first);
	assert_int_equal(copies_of(merge), MANY);
	destroy(merge);
}

static void test_when_it_is_done(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7}, {90 * MS, 7});
	struct takeover_merge *merge = create(&old);

	takeover_merge_join(merge, &fresh.source);
	fresh.now_ns = 2 * MS;
	EXPECT(merge, {1 * MS, 7});
	assert_false(takeover_merge_is_done(merge)); /* the old one runs */
	old.stopped = true;
	EXPECT(merge, {0});
	assert_false(takeover_merge_is_done(merge)); /* copies may follow */
	fresh.now_ns = 1 * MS + TAKEOVER_MERGE_COPY_NS + 1;
	EXPECT(merge, {0});
	assert_true(takeover_merge_is_done(merge));
	fresh.now_ns = UINT64_MAX;
	fresh.stopped = true;
	EXPECT(merge, {90 * MS, 7});
	assert_true(takeover_merge_is_done(merge));
	destroy(merge);
}

static void test_it_is_done_without_a_pause(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({20 * MS, 8}, {30 * MS, 7}, {31 * MS, 7});
	struct takeover_merge *merge = create(&old);
	struct scap_event event;

	takeover_merge_join(merge, &fresh.source);
	old.stopped = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(scap_source_next(takeover_merge_source(merge), 0, &event), 1);
		assert_false(takeover_merge_is_done(merge));
	}
	assert_int_equal(scap_source_next(takeover_merge_source(merge), 0, &event), 1);
	assert_true(takeover_merge_is_done(merge));
	destroy(merge);
}

static void test_ends(void **state)
{
	struct script old = SCRIPT({1 * MS, 7});
	struct script fresh = SCRIPT({1 * MS + 9, 7});
	struct takeover_merge *merge = create(&old);
	struct scap_event event;

	takeover_merge_join(merge, &fresh.source);
	old.stopped = fresh.stopped = true;
	EXPECT(merge, {1 * MS, 7});
	assert_int_equal(scap_source_next(takeover_merge_source(merge), 0, &event), -ENODATA);
	destroy(merge);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_source_alone),
	cmocka_unit_test(test_each_event_once),
	cmocka_unit_test(test_latencies_make_no_difference),
	cmocka_unit_test(test_execs_of_the_new_one),
	cmocka_unit_test(test_streams_of_the_new_one),
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
