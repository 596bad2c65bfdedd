/* SPDX-License-Identifier: MIT */
/* What is sent from a spool, what came of it, and what the next run knows of that. */
#include "output/delivery/sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_target.h"
#include "output/spool/spool_impl.h"
#include "sinsp/format/formatter.h"
#include "tree.h"
#include "unit.h"

static const struct output_form form = {.format = &format_text, .stream = "abc"};
static struct tree tree;
static struct output_config *config;
static struct output_counters counters;
static struct queue queue;
static struct spooler spooler;
static struct sender sender;

static struct output_config *spool_config(const char *more)
{
	char path[TREE_PATH_BYTES], keys[TREE_PATH_BYTES + 64];

	tree_path(&tree, "spool", path);
	snprintf(keys, sizeof(keys), ",retry=1ms,spool=%s%s", path, more);
	return fake_config(keys);
}

static int setup(void **state)
{
	tree_create(&tree);
	fake_begin();
	config = spool_config("");
	return 0;
}

static int teardown(void **state)
{
	output_config_destroy(config);
	fake_end();
	tree_destroy(&tree);
	return 0;
}

static void begin(void)
{
	struct error err = {""};

	memset(&counters, 0, sizeof(counters));
	assert_int_equal(queue_init(&queue, 1 << 20, POLICY_DROP_NEWEST, NULL, &counters), 0);
	spooler = (struct spooler){
		.config = config, .form = &form, .queue = &queue, .counters = &counters};
	sender = (struct sender){.config = config,
				 .form = &form,
				 .queue = &queue,
				 .counters = &counters,
				 .spooler = &spooler,
				 .run = sender_run_from_spool};
	if (spooler_open(&spooler, &err) || sender_open(&sender, &err))
		fail_msg("%s", err.text);
}

static void push(uint64_t number)
{
	const struct output_record record = {.number = number, .ts_ns = number};
	struct queue_block *block = queue_new_block(&queue);

	assert_true(queue_block_reserve(block));
	buf_printf(&block->bytes, "%llu\n", (unsigned long long)number);
	queue_block_end_record(block, 0, &record);
	queue_push(&queue, block);
}

/*
 * Until all that was pushed is sent, or left to the next run. All of it is in the spool before, and
 * the end has come: how fast threads are changes nothing.
 */
static void run(void)
{
	assert_int_equal(spooler_start(&spooler, NULL), 0);
	queue_close(&queue);
	spooler_join(&spooler);
	assert_int_equal(sender_start(&sender, NULL), 0);
	sender_join(&sender);
}

static void end(void)
{
	sender_finish(&sender);
	spooler_finish(&spooler);
	queue_finish(&queue);
}

static bool has_got(const char *text)
{
	return memmem(fake_target.got.data, fake_target.got.len, text, strlen(text)) != NULL;
}

#define DROP "drop: 1 record, 1 to 1, 1970-01-01T00:00:00.000000001Z to "

/* Rejected is what the stream says soon, also if no record follows. */
static void test_rejected(void **state)
{
	begin();
	fake_target.calls[0] = (struct fake_call){.results = "R"};
	push(1);
	run();
	end();
	assert_true(has_got(DROP));
	assert_true(has_got(": rejected by the target\n"));
	assert_int_equal(output_counter_get(&counters.dropped[GAP_REJECTED]), 1);
}

/* If it cannot be said before the end, the next run does. */
static void test_rejected_at_the_end(void **state)
{
	begin();
	fake_target.calls[0] = (struct fake_call){.results = "T", .too_large = true};
	for (int i = 1; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] = (struct fake_call){.results = "T", .code = -EIO};
	push(1);
	run();
	end();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_TOO_LARGE]), 1);
	fake_expect("");
	memset(fake_target.calls, 0, sizeof(fake_target.calls));
	begin();
	run();
	end();
	assert_true(has_got(DROP));
	assert_true(has_got(": larger than the target takes\n"));
	/* Once. */
	buf_clear(&fake_target.got);
	begin();
	run();
	end();
	fake_expect("");
}

/* Nor is it forgotten if the target rejects what is said, too: the next run knows that it is not
 * whole. */
static void test_rejected_to_the_end(void **state)
{
	for (int i = 0; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] = (struct fake_call){.results = "R"};
	begin();
	push(1);
	run();
	end();
	fake_expect("");
	begin();
	assert_true(spooler.was_interrupted);
	end();
}

/* The waits between tries to say it become short again when it was taken. */
static void test_said_at_last(void **state)
{
	fake_target.calls[0] = fake_target.calls[1] = (struct fake_call){.results = "R"};
	begin();
	push(1);
	run();
	assert_true(has_got(DROP));
	assert_int_equal(sender.say_wait_ns, 0);
	end();
	begin();
	assert_false(spooler.was_interrupted);
	end();
}

/* Drop records that an earlier run left are no records of the account. */
static void test_old_drop_records(void **state)
{
	const struct output_record lost = {.number = 1};

	begin();
	for (int i = 0; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] = (struct fake_call){.results = "T", .code = -EIO};
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	push(2);
	run();
	end();
	memset(fake_target.calls, 0, sizeof(fake_target.calls));
	begin();
	assert_int_equal(spooler.backlog, 2);
	run();
	assert_int_equal(output_counter_get(&counters.old_drops), 1);
	assert_int_equal(output_counter_get(&counters.delivered), 1);
	end();
}

/* Each block is a frame of the spool: together they are a batch, as without a spool. */
static void test_frames_become_batches(void **state)
{
	begin();
	for (uint64_t number = 1; number <= 5; number++)
		push(number);
	run();
	fake_expect("1\n2\n3\n4\n5\n");
	assert_int_equal(fake_target.called, 1);
	assert_int_equal(fake_target.counts[0], 5);
	assert_int_equal(spooler.spool->slot.acknowledged, 5);
	assert_int_equal(spooler.spool->slot.acknowledged_number, 5);
	end();
}

/* What no drop record was sent about is said for the first time, without a mark. */
static void test_losses_of_an_earlier_run(void **state)
{
	const struct spool_loss loss = {.from = 1, .to = 2, .count = 2};

	begin();
	spool_lose(spooler.spool, SPOOL_LOST_NO_SPACE, &loss);
	end();
	begin();
	run();
	end();
	buf_append_char(&fake_target.got, '\0');
	assert_memory_equal(fake_target.got.data, "drop: 2 records, 1 to 2", 23);
}

/* So are records, and losses: only what may have arrived is marked in the next run. */
static void test_marks_only_what_may_have_arrived(void **state)
{
	const struct spool_loss loss = {.from = 2, .to = 3, .count = 2};

	for (int uncertain = 0; uncertain < 2; uncertain++) {
		begin();
		for (int i = 0; i < FAKE_CALLS_MAX; i++)
			fake_target.calls[i] = (struct fake_call){
				.results = "T", .code = -EIO, .uncertain = uncertain != 0};
		push(1);
		run();
		assert_int_equal(spooler.spool->slot.attempted, uncertain ? 2 : 0);
		end();
	}
	memset(fake_target.calls, 0, sizeof(fake_target.calls));
	begin();
	run();
	spool_lose(spooler.spool, SPOOL_LOST_NO_SPACE, &loss);
	end();
	for (int uncertain = 0; uncertain < 2; uncertain++) {
		begin();
		fake_target.called = 0;
		for (int i = 0; i < FAKE_CALLS_MAX; i++)
			fake_target.calls[i] = (struct fake_call){
				.results = "T", .code = -EIO, .uncertain = uncertain != 0};
		run();
		assert_int_equal(spooler.spool->losses_attempted, uncertain);
		end();
	}
}

enum { LARGE_COUNT = 40, LARGE_BYTES = 16384 };

/* A block of a record that does not get shorter. */
static void push_large(uint64_t number)
{
	const struct output_record record = {.number = number, .ts_ns = number};
	struct queue_block *block = queue_new_block(&queue);

	assert_true(queue_block_reserve(block));
	for (int i = 0; i < LARGE_BYTES; i++)
		buf_append_char(&block->bytes, (char)rand());
	queue_block_end_record(block, 0, &record);
	queue_push(&queue, block);
}

static uint64_t lost_at_the_limit(void)
{
	struct spool_stats stats;

	spool_stats(spooler.spool, &stats);
	return stats.lost[SPOOL_LOST_LIMIT];
}

/*
 * What was being sent when the end came is in memory alone if the spool went on, and its file is
 * gone: it is lost, and does not wait in the spool.
 */
static void test_limit_behind_the_end(void **state)
{
	struct spool_stats stats;

	output_config_destroy(config);
	config = spool_config(",spool-size=256K");
	begin();
	fake_target.calls[0] = (struct fake_call){.results = "T", .waits = true};
	assert_int_equal(spooler_start(&spooler, NULL), 0);
	assert_int_equal(sender_start(&sender, NULL), 0);
	push_large(1);
	fake_expect_calls(1);
	sender_stop(&sender);
	sender_join(&sender);
	for (uint64_t number = 2; number <= LARGE_COUNT; number++)
		push_large(number);
	queue_close(&queue);
	spooler_join(&spooler);
	assert_true(spooler.spool->segments.items[0].first > 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_QUEUE_FULL]), 0);
	spool_stats(spooler.spool, &stats);
	assert_int_equal(stats.last, LARGE_COUNT);
	assert_int_equal(lost_at_the_limit(), spooler.spool->segments.items[0].first - 2);
	sender_leave_rest(&sender);
	assert_int_equal(lost_at_the_limit(), spooler.spool->segments.items[0].first - 1);
	end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_rejected),
	TEST(test_rejected_at_the_end),
	TEST(test_rejected_to_the_end),
	TEST(test_said_at_last),
	TEST(test_old_drop_records),
	TEST(test_frames_become_batches),
	TEST(test_losses_of_an_earlier_run),
	TEST(test_marks_only_what_may_have_arrived),
	TEST(test_limit_behind_the_end),
};

UNIT_GROUP(tests);
