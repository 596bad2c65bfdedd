/* SPDX-License-Identifier: MIT */
/* Records in a block, while its memory moves. */
#include "output/delivery/queue.h"
#include "unit.h"

enum { COUNT = 1000 };

static void fill(struct queue_block *block)
{
	for (uint64_t i = 1; i <= COUNT; i++) {
		const struct output_record record = {.number = i};
		size_t start = block->bytes.len;

		assert_true(queue_block_reserve(block));
		buf_append_u64(&block->bytes, i);
		queue_block_end_record(block, start, &record);
	}
	queue_block_seal(block);
}

static void check(const struct queue_block *block)
{
	struct buf wanted = {0};

	for (uint64_t i = 1; i <= COUNT; i++) {
		const struct output_record *record = &block->records[i - 1];

		buf_clear(&wanted);
		buf_append_u64(&wanted, i);
		assert_int_equal(record->number, i);
		assert_int_equal(record->len, wanted.len);
		assert_memory_equal(record->bytes, wanted.data, wanted.len);
	}
	buf_finish(&wanted);
}

/* The second time nothing is allocated. */
static void test_fill_and_again(void **state)
{
	struct queue_block *block = queue_block_create();
	const struct output_record *records;
	const char *bytes;

	fill(block);
	check(block);
	assert_int_equal(queue_block_size(block),
			 block->bytes.len + COUNT * sizeof(struct output_record));
	records = block->records;
	bytes = block->bytes.data;
	queue_block_clear(block);
	assert_int_equal(queue_block_size(block), 0);
	fill(block);
	check(block);
	assert_ptr_equal(block->records, records);
	assert_ptr_equal(block->bytes.data, bytes);
	queue_block_destroy(block);
	queue_block_destroy(NULL);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill_and_again)};

UNIT_GROUP(tests);
