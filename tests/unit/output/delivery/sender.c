/* SPDX-License-Identifier: MIT */
/* What the thread of an output makes of the answers of its target. */
#include "output/delivery/sender.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "fake_target.h"
#include "patience.h"
#include "sinsp/format/formatter.h"
#include "unit.h"
#include "util/clock.h"

static struct output_config *config;
static struct output_counters counters;
static struct queue queue;
static struct sender sender;
static const struct output_form form = {.format = &format_text, .stream = "abc"};
static struct queue_block *block;
static uint64_t number;

static void open_sender(const char *keys)
{
	struct error err = {""};

	config = fake_config(keys);
	memset(&counters, 0, sizeof(counters));
	number = 0;
	assert_int_equal(queue_init(&queue, (size_t)config->queue_bytes, POLICY_DROP_NEWEST, NULL,
				    &counters),
			 0);
	sender = (struct sender){
		.config = config, .form = &form, .queue = &queue, .counters = &counters};
	assert_int_equal(sender_open(&sender, &err), 0);
	block = queue_new_block(&queue);
}

/* Adds records "1\n", "2\n", ... */
static void add(size_t count)
{
	while (count--) {
		const struct output_record record = {.number = number + 1, .ts_ns = number + 1};
		size_t start = block->bytes.len;

		number++;
		assert_true(queue_block_reserve(block));
		buf_printf(&block->bytes, "%llu\n", (unsigned long long)number);
		queue_block_end_record(block, start, &record);
	}
}

static void push(void)
{
	queue_push(&queue, block);
	block = queue_new_block(&queue);
}

static void start(void)
{
	assert_int_equal(sender_start(&sender, NULL), 0);
}

static void close_sender(void)
{
	queue_close(&queue);
	sender_join(&sender);
	assert_true(sender_has_ended(&sender));
	sender_finish(&sender);
	queue_block_destroy(block);
	queue_finish(&queue);
	output_config_destroy(config);
	assert_int_equal(fake_target.closed, 1);
}

static int setup(void **state)
{
	fake_begin();
	return 0;
}

static int teardown(void **state)
{
	fake_end();
	return 0;
}

static void test_all_is_delivered(void **state)
{
	open_sender("");
	add(3);
	push();
	add(2);
	push();
	start();
	close_sender();
	fake_expect("1\n2\n3\n4\n5\n");
	/* Both blocks at a time: what waits is not sent block by block. */
	assert_int_equal(fake_target.called, 1);
	assert_int_equal(fake_target.counts[0], 5);
	assert_int_equal(output_counter_get(&counters.delivered), 5);
	assert_int_equal(output_counter_get(&counters.delivered_bytes), 10);
	assert_int_equal(output_counter_get(&counters.batches), 1);
	assert_int_equal(output_counter_get(&counters.failures), 0);
}

/* What the kind takes at once is a limit, also after requests that were too large. */
static void test_most_records(void **state)
{
	open_sender(",most=2");
	fake_target.calls[1] = (struct fake_call){"T", .too_large = true};
	add(5);
	push();
	start();
	close_sender();
	fake_expect("1\n2\n3\n4\n5\n");
	assert_int_equal(fake_target.counts[0], 2);
	assert_int_equal(fake_target.counts[1], 2);
	assert_int_equal(fake_target.counts[2], 1);
	assert_int_equal(sender.count_most, 2);
}

/* A file that is read waits for a full disk as long as retry-max= says; a capture goes on. */
static void test_full_disk(void **state)
{
	for (size_t i = 0; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] = (struct fake_call){"T", -ENOSPC};
	open_sender(",retry=10ms,retry-max=20ms");
	sender.leaves_full_disk = true;
	add(2);
	push();
	start();
	close_sender();
	assert_true(fake_target.called >= 2);
	assert_true(atomic_load(&sender.is_gone));
	assert_int_equal(output_counter_get(&counters.delivered), 0);
}

static void test_full_disk_that_is_freed(void **state)
{
	fake_target.calls[0] = fake_target.calls[1] = (struct fake_call){"T", -ENOSPC};
	open_sender(",retry=10ms,retry-max=10ms");
	add(2);
	push();
	start();
	close_sender();
	fake_expect("1\n2\n");
	assert_false(atomic_load(&sender.is_gone));
}

static void test_limits_of_batches(void **state)
{
	open_sender(",batch-count=2");
	add(5);
	push();
	start();
	close_sender();
	fake_expect("1\n2\n3\n4\n5\n");
	assert_int_equal(fake_target.called, 3);
	assert_int_equal(fake_target.counts[0], 2);
	assert_int_equal(fake_target.counts[2], 1);
}

/* Few records wait for others, but not for long. */
static void test_age_of_batches(void **state)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	open_sender(",batch-age=50ms");
	start();
	add(1);
	push();
	add(1);
	push();
	fake_expect("1\n2\n");
	assert_int_equal(fake_target.called, 1);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin >= 50000000);
	close_sender();
}

static void test_retries_and_marks(void **state)
{
	open_sender(",retry=1ms");
	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -ECONNREFUSED};
	fake_target.calls[1] =
		(struct fake_call){.results = "TDT", .code = -EIO, .uncertain = true};
	add(4);
	push();
	start();
	close_sender();
	fake_expect("2\nredelivered: 1\nredelivered: 3\nredelivered: 4\n");
	assert_int_equal(fake_target.called, 3);
	assert_int_equal(output_counter_get(&counters.failures), 2);
	assert_int_equal(output_counter_get(&counters.retried), 7);
	assert_int_equal(output_counter_get(&counters.redelivered), 3);
	assert_int_equal(output_counter_get(&counters.delivered), 4);
}

/* What was rejected is said, soon after it, also if nothing follows. */
static void test_rejected(void **state)
{
	open_sender("");
	fake_target.calls[0].results = "DRRD";
	fake_target.calls[0].code = -EBADMSG;
	add(4);
	push();
	start();
	fake_expect("1\n4\ndrop: 2 records, 2 to 3, 1970-01-01T00:00:00.000000002Z to "
		    "1970-01-01T00:00:00.000000003Z: rejected by the target\n");
	close_sender();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_REJECTED]), 2);
	assert_int_equal(output_counter_get(&counters.delivered), 2);
}

static void test_gaps_of_the_queue(void **state)
{
	const struct output_record lost = {.number = 3, .ts_ns = 0};

	open_sender("");
	add(2);
	push();
	number = 3;
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	add(1);
	push();
	start();
	close_sender();
	fake_expect("1\n2\ndrop: 1 record, 3 to 3: the queue was full\n4\n");
	assert_int_equal(output_counter_get(&counters.delivered), 3);
}

/* Halves, until they fit; a record that does not fit alone never will. */
static void test_too_large(void **state)
{
	open_sender("");
	for (int i = 0; i < 3; i++)
		fake_target.calls[i] = (struct fake_call){.results = "T", .too_large = true};
	add(4);
	push();
	start();
	fake_expect("2\n3\n4\ndrop: 1 record, 1 to 1, 1970-01-01T00:00:00.000000001Z to "
		    "1970-01-01T00:00:00.000000001Z: larger than the target takes\n");
	close_sender();
	assert_int_equal(fake_target.counts[0], 4);
	assert_int_equal(fake_target.counts[1], 2);
	assert_int_equal(fake_target.counts[2], 1);
	assert_int_equal(fake_target.counts[3], 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_TOO_LARGE]), 1);
}

/* One wrong record costs itself; then batches are as large as before. */
static void test_divide(void **state)
{
	open_sender("");
	fake_target.calls[0] = (struct fake_call){.results = "T", .divide = true};
	fake_target.calls[2] = fake_target.calls[0];
	fake_target.calls[3] = (struct fake_call){.results = "R", .code = -EBADMSG};
	add(4);
	push();
	start();
	fake_expect("1\n2\n4\ndrop: 1 record, 3 to 3, 1970-01-01T00:00:00.000000003Z to "
		    "1970-01-01T00:00:00.000000003Z: rejected by the target\n");
	close_sender();
	assert_int_equal(fake_target.counts[0], 4);
	assert_int_equal(fake_target.counts[1], 2);
	assert_int_equal(fake_target.counts[2], 2);
	assert_int_equal(fake_target.counts[3], 1);
	assert_int_equal(fake_target.counts[4], 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_REJECTED]), 1);
	/* It grows with each batch that is delivered. */
	assert_int_equal(sender.count_max, 2);
}

/* It is not forgotten with the batch in which it was. */
static void test_a_drop_record_that_is_rejected(void **state)
{
	const struct output_record lost = {.number = 1, .ts_ns = 0};

	open_sender("");
	fake_target.calls[0] = (struct fake_call){.results = "RD", .code = -EBADMSG};
	number = 1;
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	add(1);
	push();
	start();
	fake_expect("2\ndrop: 1 record, 1 to 1: the queue was full\n");
	assert_true(fake_target.times_ns[1] - fake_target.times_ns[0] >= 900000000);
	close_sender();
	assert_int_equal(fake_target.called, 2);
}

/* At the end there is one more try, and an end. */
static void test_a_drop_record_that_is_never_taken(void **state)
{
	const struct output_record lost = {.number = 1, .ts_ns = 0};

	open_sender("");
	for (int i = 0; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] = (struct fake_call){.results = "R", .code = -EBADMSG};
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	push();
	start();
	fake_expect_calls(1);
	close_sender();
	fake_expect("");
	assert_int_equal(fake_target.called, 2);
}

static void test_stop(void **state)
{
	open_sender("");
	fake_target.calls[0] = (struct fake_call){.results = "DT", .waits = true};
	add(3);
	push();
	start();
	fake_expect_calls(1);
	add(2);
	push();
	queue_close(&queue);
	assert_false(sender_has_ended(&sender));
	sender_stop(&sender);
	close_sender();
	assert_int_equal(output_counter_get(&counters.delivered), 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_END]), 4);
}

/* A long wait for the next try ends with the stop, too. */
static void test_stop_of_a_wait(void **state)
{
	open_sender(",retry=1h,retry-max=1h");
	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -EIO};
	fake_target.calls[1] = fake_target.calls[0];
	add(3);
	push();
	start();
	fake_expect_calls(1);
	/* The end is worth another try. */
	queue_close(&queue);
	fake_expect_calls(2);
	sender_stop(&sender);
	close_sender();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_END]), 3);
}

/* What a target asks for is kept, whatever wakes the thread, and at the end. */
static void test_retry_after(void **state)
{
	open_sender(",retry=1ms");
	fake_target.calls[0] = (struct fake_call){.results = "T", .retry_after_ns = 150000000};
	add(1);
	push();
	start();
	fake_expect_calls(1);
	sender_reopen(&sender);
	close_sender();
	fake_expect("1\n");
	assert_int_equal(fake_target.called, 2);
	assert_true(fake_target.times_ns[1] - fake_target.times_ns[0] >= 150000000);
}

/* The end of the time for the end ends that wait without another request. */
static void test_stop_of_retry_after(void **state)
{
	open_sender("");
	fake_target.calls[0] = (struct fake_call){.results = "T", .retry_after_ns = 60000000000};
	add(2);
	push();
	start();
	fake_expect_calls(1);
	queue_close(&queue);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	assert_int_equal(fake_target.called, 1);
	sender_stop(&sender);
	close_sender();
	fake_expect("");
	assert_int_equal(fake_target.called, 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_END]), 2);
}

static enum output_heartbeat_place place_of(const struct sender *moving)
{
	uint64_t age_ns;

	return output_heartbeat_get(&moving->heartbeat, clock_ns(CLOCK_MONOTONIC), &age_ns);
}

static void expect_place(enum output_heartbeat_place place)
{
	for (int ms = 0; place_of(&sender) != place; ms++) {
		assert_true(ms < PATIENCE_MS);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

/* Others can see where the thread is. */
static void test_heartbeat(void **state)
{
	open_sender(",retry=10s");
	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -EIO};
	fake_target.calls[1] = (struct fake_call){.results = "T", .waits = true};
	start();
	expect_place(HEARTBEAT_WAITS); /* for records */
	add(1);
	push();
	fake_expect_calls(1);
	expect_place(HEARTBEAT_WAITS); /* for the next try */
	sender_reopen(&sender); /* which ends the wait */
	expect_place(HEARTBEAT_IN_TARGET);
	sender_stop(&sender);
	close_sender();
	assert_int_equal(place_of(&sender), HEARTBEAT_WAITS);
}

static void test_gone(void **state)
{
	struct error err = {""};

	open_sender("");
	fake_target.calls[0] = (struct fake_call){.results = "DT", .code = -ESHUTDOWN};
	add(3);
	push();
	start();
	fake_expect_calls(1);
	while (!atomic_load(&sender.is_gone))
		;
	add(2);
	push();
	queue_close(&queue);
	sender_join(&sender);
	assert_int_equal(fake_target.called, 1);
	assert_int_equal(output_counter_get(&counters.dropped[GAP_GONE]), 4);
	assert_int_equal(delivery_status_take(&sender.status, 1, &err), DELIVERY_STATUS_FAILS);
	assert_string_equal(err.text, "it failed");
	close_sender();
}

static void test_chores(void **state)
{
	const struct timespec wait = {.tv_nsec = 1000000};
	bool done = false;

	open_sender("");
	start();
	sender_reopen(&sender);
	for (int i = 0; i < PATIENCE_MS && !done; i++) {
		pthread_mutex_lock(&fake_target.lock);
		done = fake_target.reopened == 1;
		pthread_mutex_unlock(&fake_target.lock);
		nanosleep(&wait, NULL);
	}
	close_sender();
	assert_true(done);
	assert_true(fake_target.ticks > 0);
}

static void test_open_fails(void **state)
{
	struct error err = {""};

	config = fake_config("");
	assert_int_equal(queue_init(&queue, 1000, POLICY_BLOCK, NULL, &counters), 0);
	fake_target.open_code = -EACCES;
	sender = (struct sender){.config = config, .queue = &queue, .counters = &counters};
	assert_int_equal(sender_open(&sender, &err), -EACCES);
	assert_string_equal(err.text, "cannot open it");
	sender_join(&sender);
	sender_finish(&sender);
	queue_finish(&queue);
	output_config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_all_is_delivered),
	TEST(test_most_records),
	TEST(test_full_disk),
	TEST(test_full_disk_that_is_freed),
	TEST(test_limits_of_batches),
	TEST(test_age_of_batches),
	TEST(test_retries_and_marks),
	TEST(test_rejected),
	TEST(test_gaps_of_the_queue),
	TEST(test_too_large),
	TEST(test_divide),
	TEST(test_a_drop_record_that_is_rejected),
	TEST(test_a_drop_record_that_is_never_taken),
	TEST(test_stop),
	TEST(test_stop_of_a_wait),
	TEST(test_retry_after),
	TEST(test_stop_of_retry_after),
	TEST(test_heartbeat),
	TEST(test_gone),
	TEST(test_chores),
	TEST(test_open_fails),
};

UNIT_GROUP(tests);
