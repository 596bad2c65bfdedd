/* SPDX-License-Identifier: MIT */
/* Windows of a batch, and what is left of them. */
#include "output/delivery/batch.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Records "1\n", "2\n", ... in one block. */
static struct queue_block *make_block(uint64_t first, size_t count)
{
	struct queue_block *block = queue_block_create();

	for (uint64_t i = first; i < first + count; i++) {
		const struct output_record record = {.number = i};
		size_t start = block->bytes.len;

		assert_true(queue_block_reserve(block));
		buf_printf(&block->bytes, "%llu\n", (unsigned long long)i);
		queue_block_end_record(block, start, &record);
	}
	queue_block_seal(block);
	return block;
}

static void add(struct batch *batch, struct queue_block *block)
{
	assert_int_equal(batch_add(batch, block->records, block->count), 0);
	batch_keep_block(batch, block);
}

static void expect_window(const struct output_batch *window, const char *bytes)
{
	struct buf records = {0}, parts = {0};

	for (size_t i = 0; i < window->count; i++) {
		buf_append(&records, window->records[i].bytes, window->records[i].len);
		assert_int_equal(window->results[i], OUTPUT_RETRY);
	}
	for (size_t i = 0; i < window->parts_count; i++)
		buf_append(&parts, window->parts[i].iov_base, window->parts[i].iov_len);
	assert_int_equal(records.len, strlen(bytes));
	assert_memory_equal(records.data, bytes, records.len);
	assert_int_equal(parts.len, records.len);
	assert_memory_equal(parts.data, bytes, parts.len);
	assert_int_equal(window->bytes, parts.len);
	buf_finish(&records);
	buf_finish(&parts);
}

static void finish(struct batch *batch)
{
	struct queue_block *block = batch_take_blocks(batch), *next;

	for (; block; block = next) {
		next = block->next;
		queue_block_destroy(block);
	}
	batch_finish(batch);
}

static void test_windows(void **state)
{
	struct batch batch = {0};
	struct output_batch window;

	add(&batch, make_block(1, 3));
	add(&batch, make_block(4, 2));
	assert_int_equal(batch.bytes, 10);
	batch_window(&batch, 100, 100, &window);
	expect_window(&window, "1\n2\n3\n4\n5\n");
	assert_int_equal(window.parts_count, 2);
	batch_window(&batch, 2, 100, &window);
	expect_window(&window, "1\n2\n");
	batch_window(&batch, 100, 7, &window);
	expect_window(&window, "1\n2\n3\n");
	/* One record, however large. */
	batch_window(&batch, 100, 1, &window);
	expect_window(&window, "1\n");
	finish(&batch);
}

static void note_rejected(void *context, const struct output_record *record)
{
	*(uint64_t *)context += record->number;
}

static void mark(const void *context, const struct output_record *record, struct buf *out)
{
	buf_append_string(out, context);
	buf_append(out, record->bytes, record->len);
}

static void test_settle_and_mark(void **state)
{
	static const uint8_t results[] = {OUTPUT_RETRY, OUTPUT_DELIVERED, OUTPUT_REJECTED,
					  OUTPUT_RETRY};
	const struct output_record drop = {.flags = RECORD_IS_DROP};
	struct batch batch = {0};
	struct output_batch window;
	struct batch_result result;
	struct buf text = {0};
	uint64_t rejected = 0;

	add(&batch, make_block(1, 6));
	batch_window(&batch, 4, 100, &window);
	memcpy(window.results, results, sizeof(results));
	result = batch_settle(&batch, &window, note_rejected, &rejected);
	assert_int_equal(result.delivered, 1);
	assert_int_equal(result.delivered_bytes, 2);
	assert_int_equal(result.left, 2);
	assert_int_equal(rejected, 3);
	assert_int_equal(batch.bytes, 8);
	assert_int_equal(batch_redeliver(&batch, 2, mark, "again "), 2);
	/* Once is enough. */
	assert_int_equal(batch_redeliver(&batch, 3, mark, "again "), 1);
	buf_append_string(&text, "drop\n");
	assert_int_equal(batch_add_copy(&batch, &drop, &text), 0);
	buf_finish(&text);
	batch_window(&batch, 100, 100, &window);
	expect_window(&window, "again 1\nagain 4\nagain 5\n6\ndrop\n");
	assert_true(window.records[0].flags & RECORD_REDELIVERED);
	assert_false(window.records[3].flags & RECORD_REDELIVERED);
	assert_int_equal(batch.bytes, window.bytes);
	/* Drop records do not count as delivered. */
	output_batch_set(&window, OUTPUT_DELIVERED);
	result = batch_settle(&batch, &window, note_rejected, &rejected);
	assert_int_equal(result.delivered, 4);
	assert_int_equal(result.left, 0);
	assert_int_equal(batch_count(&batch), 0);
	assert_int_equal(batch.bytes, 0);
	finish(&batch);
}

static void test_many_records(void **state)
{
	struct batch batch = {0};
	struct output_batch window;

	for (uint64_t i = 0; i < 50; i++)
		add(&batch, make_block(1 + i * 100, 100));
	batch_window(&batch, SIZE_MAX, SIZE_MAX, &window);
	assert_int_equal(window.count, 5000);
	assert_int_equal(window.parts_count, 50);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(window.records[i].number, i + 1);
	finish(&batch);
}

/* Bytes that are used for something else after the call. */
static void test_copies(void **state)
{
	char text[] = "1\n22\n";
	const struct output_record records[] = {{.bytes = text, .number = 1, .len = 2},
						{.bytes = text + 2, .number = 2, .len = 3}};
	struct batch batch = {0}, other = {0};
	struct output_batch window;

	assert_int_equal(batch_add(&batch, records, 2), 0);
	assert_int_equal(batch_own(&batch, 2), 0);
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(batch_add_copies(&other, &batch), 0);
	batch_window(&batch, SIZE_MAX, SIZE_MAX, &window);
	expect_window(&window, "1\n22\n");
	finish(&batch);
	batch_window(&other, SIZE_MAX, SIZE_MAX, &window);
	expect_window(&window, "1\n22\n");
	finish(&other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_windows),
	cmocka_unit_test(test_settle_and_mark),
	cmocka_unit_test(test_many_records),
	cmocka_unit_test(test_copies),
};

UNIT_GROUP(tests);
