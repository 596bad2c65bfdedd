/* SPDX-License-Identifier: MIT */
/* The ring of samples: records in their order, those that wrap, and those whose sizes are wrong. */
#include "scap/samples/ring.h"

#include <errno.h>
#include <stdlib.h>

#include "sample_records.h"
#include "unit.h"

enum { RING_BYTES = 4096 };

struct written {
	struct sample_ring ring;
	struct perf_event_mmap_page meta;
	uint8_t data[RING_BYTES], bounce[SAMPLE_RECORD_BYTES_MAX];
};

static int create(void **state)
{
	struct written *written = calloc(1, sizeof(*written));

	assert_non_null(written);
	sample_ring_init(&written->ring, &written->meta, written->data, RING_BYTES,
			 written->bounce);
	*state = written;
	return 0;
}

static int destroy(void **state)
{
	free(*state);
	return 0;
}

/* A record with a number, `words` times. */
static void ring_write(struct written *written, uint64_t number, size_t words)
{
	struct test_record record;

	test_record_begin(&record, PERF_RECORD_SAMPLE, 0);
	for (size_t i = 0; i < words; i++)
		test_record_u64(&record, number);
	test_record_end(&record);
	for (size_t i = 0; i < record.len; i++)
		written->data[(written->meta.data_head + i) % RING_BYTES] = record.bytes[i];
	written->meta.data_head += record.len;
}

static uint64_t number_of(const void *record, size_t bytes)
{
	uint64_t number;

	assert_true(bytes >= sizeof(struct perf_event_header) + sizeof(number));
	memcpy(&number, (const uint8_t *)record + bytes - sizeof(number), sizeof(number));
	return number;
}

/* Laps of records of other lengths, of which some wrap. */
static void returns_records_in_order(void **state)
{
	struct written *written = *state;
	uint64_t position, first;
	const void *record;
	size_t bytes;

	for (uint64_t number = 1; number < 300; number++) {
		ring_write(written, number, 1 + number % 60);
		record = sample_ring_next(&written->ring, &position, &bytes);
		assert_non_null(record);
		assert_int_equal(number_of(record, bytes), number);
		first = position;
		assert_null(sample_ring_next(&written->ring, &position, &bytes));
		/* It is there until it is released. */
		record = sample_ring_at(&written->ring, first, &bytes);
		assert_non_null(record);
		assert_int_equal(number_of(record, bytes), number);
		sample_ring_release(&written->ring, first + bytes);
		assert_int_equal(written->meta.data_tail, written->meta.data_head);
		assert_null(sample_ring_at(&written->ring, first, &bytes));
	}
	/* Never back. */
	sample_ring_release(&written->ring, 8);
	assert_int_equal(written->meta.data_tail, written->meta.data_head);
	assert_int_equal(written->ring.corrupt, 0);
}

static void skips_what_is_behind_a_wrong_size(void **state)
{
	static const uint16_t sizes[] = {0, 7, 12, 4000, UINT16_MAX};
	struct written *written = *state;
	uint64_t position;
	size_t bytes;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t at = written->meta.data_head;

		ring_write(written, 1, 4);
		ring_write(written, 2, 4);
		memcpy(&written->data[at % RING_BYTES + 6], &sizes[i], sizeof(sizes[i]));
		assert_null(sample_ring_next(&written->ring, &position, &bytes));
		assert_int_equal(written->ring.corrupt, i + 1);
		/* What comes later is found again. */
		ring_write(written, 3, 4);
		assert_non_null(sample_ring_next(&written->ring, &position, &bytes));
		sample_ring_release(&written->ring, position + bytes);
	}
	/* More than there is room for. */
	written->meta.data_head += 3 * RING_BYTES;
	assert_null(sample_ring_next(&written->ring, &position, &bytes));
	assert_int_equal(written->ring.corrupt, 1 + sizeof(sizes) / sizeof(sizes[0]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(returns_records_in_order, create, destroy),
	cmocka_unit_test_setup_teardown(skips_what_is_behind_a_wrong_size, create, destroy),
};

UNIT_GROUP(tests);
