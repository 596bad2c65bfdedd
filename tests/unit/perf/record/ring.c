/* SPDX-License-Identifier: MIT */
/* Rings in memory of the test: what is written of them, and what is counted. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perf/data/format.h"
#include "perf/record/ring.h"
#include "unit.h"

enum { RING_BYTES = 4096 };

static char *const words[] = {"agent", NULL};
static const struct buf no_tracing;

struct driven {
	struct perf_event_mmap_page meta;
	uint8_t data[RING_BYTES];
	struct perf_record_ring ring;
	struct perf_recording_stats stats;
	struct perf_build_ids build_ids;
	struct perf_data_facts facts;
	struct perf_data_writer *writer;
	int fd;
};

static void ring_begin(struct driven *driven)
{
	struct error err = {""};

	memset(driven, 0, sizeof(*driven));
	driven->ring = (struct perf_record_ring){
		.meta = &driven->meta, .data = driven->data, .bytes = RING_BYTES};
	driven->facts = (struct perf_data_facts){.version = "",
						 .command = words,
						 .tracing = &no_tracing,
						 .build_ids = &driven->build_ids,
						 .clock = -1};
	driven->fd = memfd_create("perf.data", MFD_CLOEXEC);
	assert_int_equal(
		perf_data_writer_create(driven->fd, true, &driven->facts, &driven->writer, &err),
		0);
}

static void ring_end(struct driven *driven)
{
	perf_data_writer_destroy(driven->writer);
	perf_build_ids_finish(&driven->build_ids);
	close(driven->fd);
}

/* As the kernel does. */
static void put(struct driven *driven, const void *record, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		driven->data[(driven->meta.data_head + i) % RING_BYTES] =
			((const uint8_t *)record)[i];
	driven->meta.data_head += bytes;
}

static void put_sample(struct driven *driven, uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, ip, tid, time_ns;
	} sample = {{.type = PERF_RECORD_SAMPLE, .size = sizeof(sample)}, 1, 2, 3, time_ns};

	put(driven, &sample, sizeof(sample));
}

static int drain(struct driven *driven)
{
	return perf_record_ring_drain(&driven->ring, driven->writer, &driven->build_ids,
				      &driven->stats);
}

/* Records wrap at any place of the ring, and are whole in the file. */
static void writes_what_wraps(void **state)
{
	uint64_t before, expected = 100;
	uint8_t bytes[40 * 15];
	struct driven driven;

	ring_begin(&driven);
	assert_int_equal(drain(&driven), 0);
	for (int round = 0; round < 60; round++) {
		before = perf_data_writer_bytes(driven.writer);
		for (uint64_t i = 0; i < 15; i++)
			put_sample(&driven, expected + i);
		assert_int_equal(drain(&driven), 1);
		assert_int_equal(driven.meta.data_tail, driven.meta.data_head);
		assert_int_equal(pread(driven.fd, bytes, sizeof(bytes), (off_t)before),
				 sizeof(bytes));
		for (uint64_t i = 0; i < 15; i++, expected++)
			assert_memory_equal(bytes + i * 40 + 32, &expected, sizeof(expected));
	}
	assert_int_equal(driven.stats.samples, 900);
	assert_int_equal(driven.stats.first_ns, 100);
	assert_int_equal(driven.stats.last_ns, 999);
	assert_int_equal(driven.stats.corrupt, 0);
	ring_end(&driven);
}

static void counts_what_was_lost(void **state)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost = {{.type = PERF_RECORD_LOST, .size = sizeof(lost)}, 1, 70};
	const struct {
		struct perf_event_header header;
		uint64_t lost;
	} samples = {{.type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(samples)}, 5};
	const struct perf_event_header throttle = {.type = PERF_RECORD_THROTTLE, .size = 8};
	struct driven driven;

	ring_begin(&driven);
	put(&driven, &lost, sizeof(lost));
	put(&driven, &samples, sizeof(samples));
	put(&driven, &throttle, sizeof(throttle));
	put(&driven, &lost, sizeof(lost));
	assert_int_equal(drain(&driven), 1);
	assert_int_equal(driven.stats.lost, 140);
	assert_int_equal(driven.stats.lost_samples, 5);
	assert_int_equal(driven.stats.throttled, 1);
	assert_int_equal(driven.stats.records, 4);
	ring_end(&driven);
}

static void remembers_build_ids(void **state)
{
	struct {
		struct perf_data_mapping mapping;
		char path[8];
	} record = {{{.type = PERF_RECORD_MMAP2,
		      .misc = PERF_RECORD_MISC_MMAP_BUILD_ID,
		      .size = sizeof(record)}},
		    "/a/b/c"};
	struct perf_build_id id;
	struct driven driven;

	ring_begin(&driven);
	record.mapping.build_id_bytes = 20;
	record.mapping.build_id[3] = 9;
	/* So that it wraps. */
	for (int i = 0; i < 100; i++)
		put_sample(&driven, 1);
	assert_int_equal(drain(&driven), 1);
	put(&driven, &record, sizeof(record));
	record.mapping.build_id_bytes = 21;
	record.path[1] = 'x';
	put(&driven, &record, sizeof(record));
	assert_int_equal(drain(&driven), 1);
	assert_true(perf_build_ids_get(&driven.build_ids, "/a/b/c", &id));
	assert_int_equal(id.bytes[3], 9);
	assert_int_equal(driven.build_ids.count, 1);
	ring_end(&driven);
}

/* What cannot be read is passed over, and counted. */
static void passes_over_what_is_corrupt(void **state)
{
	const struct perf_event_header wrong[] = {
		{.type = 9, .size = 0}, {.type = 9, .size = 12}, {.type = 9, .size = 4000}};
	struct driven driven;

	for (size_t i = 0; i < 3; i++) {
		ring_begin(&driven);
		put_sample(&driven, 1);
		put(&driven, &wrong[i], sizeof(wrong[i]));
		assert_int_equal(drain(&driven), 1);
		put_sample(&driven, 2);
		assert_int_equal(drain(&driven), 1);
		assert_int_equal(driven.stats.corrupt, 1);
		assert_int_equal(driven.stats.samples, 2);
		ring_end(&driven);
	}
	ring_begin(&driven);
	driven.meta.data_head = 3 * RING_BYTES;
	assert_int_equal(drain(&driven), 1);
	assert_int_equal(driven.stats.corrupt, 1);
	assert_int_equal(driven.meta.data_tail, driven.meta.data_head);
	ring_end(&driven);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_what_wraps),
	cmocka_unit_test(counts_what_was_lost),
	cmocka_unit_test(remembers_build_ids),
	cmocka_unit_test(passes_over_what_is_corrupt),
};

UNIT_GROUP(tests);
