/* SPDX-License-Identifier: MIT */
/* Blocks between two threads, and what happens while the queue is full. */
#include "output/delivery/queue.h"

#include <string.h>

#include "unit.h"
#include "util/clock.h"

enum { BLOCK_BYTES_HERE = 1000, QUEUE_BYTES = 3 * (BLOCK_BYTES_HERE + 64) };

static struct output_counters counters;
static struct queue queue;
static uint64_t next_number;
static const struct queue_wish at_once = {.demand = QUEUE_HUNGRY};

static void begin(enum output_policy policy, bool (*is_over)(void))
{
	memset(&counters, 0, sizeof(counters));
	next_number = 1;
	assert_int_equal(queue_init(&queue, QUEUE_BYTES, policy, is_over, &counters), 0);
}

/* A block of two records. */
static void push(void)
{
	struct queue_block *block = queue_new_block(&queue);
	static const char bytes[BLOCK_BYTES_HERE / 2];

	for (int i = 0; i < 2; i++) {
		const struct output_record record = {
			.number = next_number, .event = EVENT_open, .ts_ns = next_number + 1};
		size_t start = block->bytes.len;

		next_number++;
		assert_true(queue_block_reserve(block));
		buf_append(&block->bytes, bytes, sizeof(bytes));
		queue_block_end_record(block, start, &record);
	}
	queue_push(&queue, block);
}

/* Takes a block and gives it back; fails unless it begins with that record. */
static void expect_block(uint64_t number)
{
	struct queue_block *block = queue_pop(&queue, &at_once);

	assert_non_null(block);
	assert_int_equal(block->records[0].number, number);
	assert_ptr_equal(block->records[0].bytes, block->bytes.data);
	assert_true(gaps_are_empty(&block->before));
	queue_release(&queue, block);
}

/* The same of a block with a gap before it. */
static void expect_gap(uint64_t number, uint64_t from, uint64_t to)
{
	struct queue_block *block = queue_pop(&queue, &at_once);
	const struct gap *gap;

	assert_non_null(block);
	gap = block->before.by_cause[GAP_QUEUE_FULL];
	assert_non_null(gap);
	assert_int_equal(gap->from, from);
	assert_int_equal(gap->to, to);
	assert_int_equal(gap->count, to - from + 1);
	if (number)
		assert_int_equal(block->records[0].number, number);
	else
		assert_int_equal(block->count, 0);
	queue_release(&queue, block);
}

static void test_order(void **state)
{
	struct queue_stats stats;

	begin(POLICY_DROP_NEWEST, NULL);
	push();
	push();
	queue_stats(&queue, &stats);
	assert_int_equal(stats.records, 4);
	assert_in_range(stats.bytes, 2 * BLOCK_BYTES_HERE, QUEUE_BYTES);
	assert_true(stats.oldest_ns > 0 && stats.oldest_ns <= clock_ns(CLOCK_MONOTONIC));
	expect_block(1);
	expect_block(3);
	assert_null(queue_pop(&queue, &at_once));
	queue_stats(&queue, &stats);
	assert_int_equal(stats.records, 0);
	assert_int_equal(stats.bytes, 0);
	queue_finish(&queue);
}

static void test_drop_newest(void **state)
{
	begin(POLICY_DROP_NEWEST, NULL);
	for (int i = 0; i < 5; i++)
		push();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_QUEUE_FULL]), 4);
	expect_block(1);
	push();
	expect_block(3);
	expect_block(5);
	expect_gap(11, 7, 10);
	/* What is missing at the end is said, too. */
	for (int i = 0; i < 4; i++)
		push();
	queue_close(&queue);
	assert_false(queue_is_over(&queue));
	for (uint64_t number = 13; number < 19; number += 2)
		expect_block(number);
	expect_gap(0, 19, 20);
	assert_true(queue_is_over(&queue));
	queue_finish(&queue);
}

static void test_drop_oldest(void **state)
{
	struct queue_block *taken;

	begin(POLICY_DROP_OLDEST, NULL);
	for (int i = 0; i < 5; i++)
		push();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_QUEUE_FULL]), 4);
	expect_gap(5, 1, 4);
	expect_block(7);
	expect_block(9);
	/* What the other thread has is not dropped. */
	push();
	taken = queue_pop(&queue, &at_once);
	for (int i = 0; i < 4; i++)
		push();
	assert_int_equal(taken->records[0].number, 11);
	queue_release(&queue, taken);
	expect_gap(17, 13, 16);
	expect_block(19);
	queue_finish(&queue);
}

/* If the other thread has all that there is room for, the newest is dropped. */
static void test_drop_oldest_without_one(void **state)
{
	struct queue_block *taken[3];

	begin(POLICY_DROP_OLDEST, NULL);
	for (int i = 0; i < 3; i++) {
		push();
		taken[i] = queue_pop(&queue, &at_once);
	}
	push();
	for (int i = 0; i < 3; i++)
		queue_release(&queue, taken[i]);
	push();
	expect_gap(9, 7, 8);
	queue_finish(&queue);
}

static void *take_slowly(void *context)
{
	const struct queue_wish wish = {.demand = QUEUE_HUNGRY, .until_ns = UINT64_MAX};
	uint64_t wanted = 1;
	struct queue_block *block;

	while ((block = queue_pop(&queue, &wish))) {
		wanted = block->records[0].number == wanted ? wanted + 2 : 0;
		queue_release(&queue, block);
	}
	return (void *)wanted;
}

static void test_block(void **state)
{
	pthread_t thread;
	void *wanted;

	begin(POLICY_BLOCK, NULL);
	for (int i = 0; i < 3; i++)
		push();
	assert_int_equal(pthread_create(&thread, NULL, take_slowly, NULL), 0);
	for (int i = 0; i < 100; i++)
		push();
	queue_close(&queue);
	pthread_join(thread, &wanted);
	assert_int_equal((uintptr_t)wanted, 207);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_QUEUE_FULL]), 0);
	queue_finish(&queue);
}

static bool over(void)
{
	return true;
}

static void test_block_until_it_is_over(void **state)
{
	begin(POLICY_BLOCK, over);
	for (int i = 0; i < 4; i++)
		push();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_END]), 2);
	queue_finish(&queue);
}

static void *wait_for_much(void *context)
{
	const struct queue_wish wish = {.demand = QUEUE_FILLING,
					.bytes = 2 * BLOCK_BYTES_HERE,
					.records = 1000,
					.until_ns = UINT64_MAX};
	struct queue_block *block = queue_pop(&queue, &wish);

	uint64_t number = block ? block->records[0].number : 0;

	if (block)
		queue_release(&queue, block);
	return (void *)(uintptr_t)number;
}

static void wait_for_demand(enum queue_demand demand)
{
	while (queue_demand(&queue) != demand)
		;
}

static void test_waits(void **state)
{
	const struct queue_wish short_wish = {.demand = QUEUE_FILLING,
					      .bytes = SIZE_MAX,
					      .records = SIZE_MAX,
					      .until_ns = clock_ns(CLOCK_MONOTONIC) + 1000000};
	struct queue_stats stats;
	struct queue_block *block;
	pthread_t thread;
	void *number;

	begin(POLICY_DROP_NEWEST, NULL);
	assert_int_equal(queue_demand(&queue), QUEUE_BUSY);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_much, NULL), 0);
	wait_for_demand(QUEUE_FILLING);
	push();
	queue_stats(&queue, &stats);
	assert_int_equal(stats.records, 2);
	push();
	pthread_join(thread, &number);
	assert_int_equal((uintptr_t)number, 1);
	assert_int_equal(queue_demand(&queue), QUEUE_BUSY);
	/* After its time a wait takes what there is. */
	block = queue_pop(&queue, &short_wish);
	assert_non_null(block);
	queue_release(&queue, block);
	/* It ends by itself, by queue_wake(), and by the end. */
	assert_null(queue_pop(&queue, &short_wish));
	assert_int_equal(pthread_create(&thread, NULL, wait_for_much, NULL), 0);
	wait_for_demand(QUEUE_FILLING);
	queue_wake(&queue);
	pthread_join(thread, &number);
	assert_null(number);
	queue_close(&queue);
	queue_sleep(&queue, UINT64_MAX); /* woken by the end, once */
	assert_null(queue_pop(&queue, &at_once));
	assert_true(queue_is_closed(&queue) && queue_is_over(&queue));
	queue_finish(&queue);
}

static void test_miss(void **state)
{
	const struct output_record record = {.number = 1, .event = EVENT_open};
	struct queue_block *block;

	begin(POLICY_DROP_NEWEST, NULL);
	queue_miss(&queue, GAP_NO_MEMORY, &record);
	next_number = 2;
	push();
	block = queue_pop(&queue, &at_once);
	assert_int_equal(block->before.by_cause[GAP_NO_MEMORY]->count, 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_NO_MEMORY]), 1);
	queue_release(&queue, block);
	queue_finish(&queue);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),	    cmocka_unit_test(test_drop_newest),
	cmocka_unit_test(test_drop_oldest), cmocka_unit_test(test_drop_oldest_without_one),
	cmocka_unit_test(test_block),	    cmocka_unit_test(test_block_until_it_is_over),
	cmocka_unit_test(test_waits),	    cmocka_unit_test(test_miss),
};

UNIT_GROUP(tests);
