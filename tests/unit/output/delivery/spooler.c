/* SPDX-License-Identifier: MIT */
/* Blocks of a queue that come to a spool. */
#include "output/delivery/spooler.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_target.h"
#include "output/spool/spool_impl.h"
#include "sinsp/format/formatter.h"
#include "unit.h"

static const struct output_form form = {.format = &format_text, .stream = "abc"};
static char path[] = "/tmp/lanner-spooler-XXXXXX";
static struct output_counters counters;
static struct queue queue;
static struct spooler spooler;
static struct output_config *config;

static int setup(void **state)
{
	struct error err = {""};
	char keys[64];

	strcpy(strrchr(path, '-'), "-XXXXXX");
	if (!mkdtemp(path))
		return -1;
	fake_begin();
	snprintf(keys, sizeof(keys), ",spool=%s,spool-size=256K", path);
	config = fake_config(keys);
	memset(&counters, 0, sizeof(counters));
	queue_init(&queue, 16 << 20, POLICY_DROP_NEWEST, NULL, &counters);
	spooler = (struct spooler){
		.config = config, .form = &form, .queue = &queue, .counters = &counters};
	if (spooler_open(&spooler, &err))
		fail_msg("%s", err.text);
	return 0;
}

static int teardown(void **state)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	spooler_finish(&spooler);
	queue_finish(&queue);
	output_config_destroy(config);
	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	fake_end();
	return rmdir(path);
}

/* A block of one record of so many bytes. */
static void push(uint64_t number, size_t bytes)
{
	const struct output_record record = {
		.number = number, .ts_ns = number, .event = EVENT_open};
	struct queue_block *block = queue_new_block(&queue);

	assert_true(queue_block_reserve(block));
	/* Hardly compressible. */
	for (size_t i = 0; i < bytes; i++)
		buf_append_char(&block->bytes, (char)(random() >> 8));
	queue_block_end_record(block, 0, &record);
	queue_push(&queue, block);
}

static void run(void)
{
	assert_int_equal(spooler_start(&spooler, NULL), 0);
	queue_close(&queue);
	spooler_join(&spooler);
	assert_true(spooler_has_ended(&spooler));
}

static void test_blocks_and_gaps(void **state)
{
	const struct output_record lost = {.number = 2};
	struct spool_batch batch;

	push(1, 10);
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	push(3, 10);
	run();
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.count, 1);
	assert_int_equal(batch.records[0].number, 1);
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.count, 2);
	assert_true(batch.records[0].flags & RECORD_IS_DROP);
	assert_memory_equal(batch.records[0].bytes, "drop: 1 record, 2 to 2", 22);
	assert_int_equal(batch.records[1].number, 3);
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 0);
	assert_int_equal(spooler.last_number, 3);
}

/* At the limit the oldest records go, and the spool says so. */
static void test_limit(void **state)
{
	struct spool_batch batch;
	struct gaps gaps = {0};

	for (uint64_t i = 1; i <= 20; i++)
		push(i, 40000);
	run();
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_non_null(batch.lost);
	spooler_losses(batch.lost, &gaps);
	assert_non_null(gaps.by_cause[GAP_SPOOL_LIMIT]);
	assert_int_equal(gaps.by_cause[GAP_SPOOL_LIMIT]->from, 1);
	assert_true(gaps.by_cause[GAP_SPOOL_LIMIT]->count > 10);
	assert_int_equal(gaps.by_cause[GAP_SPOOL_LIMIT]->types[EVENT_open],
			 gaps.by_cause[GAP_SPOOL_LIMIT]->count);
	gaps_clear(&gaps);
}

/* What the spool does not take is missing, and the next that it takes says so. */
static void test_a_block_that_is_too_large(void **state)
{
	struct spool_batch batch;
	struct error err = {""};

	push(1, SPOOL_DATA_BYTES_MAX + 1);
	push(2, 10);
	run();
	assert_int_equal(output_counter_get(&counters.dropped[GAP_SPOOL_IO]), 1);
	assert_int_equal(delivery_status_take(&spooler.status, 1, &err), DELIVERY_STATUS_FAILED);
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.count, 2);
	assert_memory_equal(batch.records[0].bytes, "drop: 1 record, 1 to 1", 22);
	assert_int_equal(batch.records[1].number, 2);
}

static void reopen(void)
{
	struct error err = {""};

	spooler_finish(&spooler);
	queue_finish(&queue);
	queue_init(&queue, 16 << 20, POLICY_DROP_NEWEST, NULL, &counters);
	spooler = (struct spooler){
		.config = config, .form = &form, .queue = &queue, .counters = &counters};
	if (spooler_open(&spooler, &err))
		fail_msg("%s", err.text);
}

/* The first record after another end says so, and stands between those of both runs. */
static void test_interruption(void **state)
{
	struct spool_batch batch;

	push(1, 10);
	push(2, 10);
	run();
	spool_set_incomplete(spooler.spool); /* as after a kill */
	reopen();
	assert_true(spooler.was_interrupted);
	run(); /* also if no record follows */
	reopen();
	assert_false(spooler.was_interrupted);
	push(3, 10);
	run();
	for (uint64_t number = 1; number <= 2; number++) {
		assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
		assert_int_equal(batch.records[0].number, number);
	}
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.count, 1);
	assert_true(batch.records[0].flags & RECORD_IS_DROP);
	assert_memory_equal(batch.records[0].bytes, "drop: an unknown number of records, after 2, ",
			    45);
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.count, 1);
	assert_int_equal(batch.records[0].number, 3);
}

/* What is lost at the end is said by the next run, and its numbers stay used. */
static void test_loss_at_the_end(void **state)
{
	struct spool_batch batch;

	push(1, 10);
	push(2, SPOOL_DATA_BYTES_MAX + 1);
	run();
	/* The drop record itself could be stored. */
	assert_true(gaps_are_empty(&spooler.missing));
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_memory_equal(batch.records[0].bytes, "drop: 1 record, 2 to 2", 22);
	reopen();
	assert_int_equal(spooler.last_number, 2);
}

/* On a disk that stays full not even the drop record can be stored: the state of the spool has it.
 */
static void test_full_disk_at_the_end(void **state)
{
	const struct output_record lost = {.number = 4};
	struct spool_batch batch;

	spooler.spool->writer.failure = -ENOSPC;
	spooler.spool->writer.retry_ns = UINT64_MAX;
	push(1, 10);
	push(2, 10);
	run();
	reopen();
	assert_false(spooler.was_interrupted);
	assert_int_equal(spooler.last_number, 2);
	push(3, 10);
	run();
	assert_int_equal(spool_read(spooler.spool, 0, &batch, NULL), 1);
	assert_int_equal(batch.records[0].number, 3);
	assert_non_null(batch.lost);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_NO_SPACE].from, 1);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_NO_SPACE].to, 2);
	assert_int_equal(batch.lost->causes[SPOOL_LOST_NO_SPACE].count, 2);
	/* It has no place for other causes: then it was no end in good order. */
	reopen();
	spooler.spool->writer.failure = -ENOSPC;
	spooler.spool->writer.retry_ns = UINT64_MAX;
	queue_miss(&queue, GAP_QUEUE_FULL, &lost);
	run();
	reopen();
	assert_true(spooler.was_interrupted);
	assert_int_equal(spooler.last_number, 4);
}

static void test_open_fails(void **state)
{
	struct error err = {""};
	struct spooler second = {
		.config = config, .form = &form, .queue = &queue, .counters = &counters};

	/* Another process may end and leave it. */
	assert_int_equal(spooler_open(&second, &err), 0);
	assert_false(spooler_is_open(&second));
	assert_int_equal(delivery_status_take(&second.status, 1, &err), DELIVERY_STATUS_FAILS);
	assert_non_null(strstr(err.text, path));
	assert_non_null(
		strstr(err.text, "; it is tried again, and until then its records are lost"));
	spooler_join(&second);
	spooler_finish(&second);
	/* A capture file waits. */
	second.must_open = true;
	assert_true(spooler_open(&second, &err) < 0);
	assert_non_null(strstr(err.text, path));
	spooler_finish(&second);
	second.must_open = false;
	/* A file never becomes a folder. */
	output_config_destroy(config);
	config = fake_config(",spool=/dev/null");
	second.config = config;
	assert_int_equal(spooler_open(&second, &err), -ENOTDIR);
	spooler_finish(&second);
}

/* Neither the lock nor a missing folder lasts. */
static void test_opens_later(void **state)
{
	struct error err = {""};
	struct spooler second = {
		.config = config, .form = &form, .queue = &queue, .counters = &counters};

	assert_int_equal(spooler_open(&second, &err), 0);
	assert_int_equal(spooler_start(&second, &err), 0);
	spool_close(spooler.spool);
	spooler.spool = NULL;
	while (!spooler_is_open(&second)) {
		spooler_hurry(&second);
		usleep(1000);
	}
	assert_int_equal(strlen(second.stream), SPOOL_STREAM_BYTES);
	queue_close(&queue);
	spooler_join(&second);
	assert_false(delivery_status_is_failing(&second.status, &err));
	spooler_finish(&second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_blocks_and_gaps),
	TEST(test_limit),
	TEST(test_a_block_that_is_too_large),
	TEST(test_interruption),
	TEST(test_loss_at_the_end),
	TEST(test_full_disk_at_the_end),
	TEST(test_open_fails),
	TEST(test_opens_later),
};

UNIT_GROUP(tests);
