/* SPDX-License-Identifier: MIT */
/* Files and pipes: their headers, what is between, and their descriptions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "perf/data/described.h"
#include "perf/data/format.h"
#include "perf/data/writer.h"
#include "unit.h"

enum { RECORD_BYTES = 16, FILE_BYTES = 4 << 20 };

static const uint64_t ids[] = {7, 8, 9};
static const struct perf_data_event events[] = {
	{{.type = 1, .size = 128, .sample_type = PERF_SAMPLE_IDENTIFIER}, "first", ids, 2, 2},
	{{.type = 2, .size = 128}, "second", ids + 2, 1, 0},
};
static char *const words[] = {"agent", "record", NULL};
static const struct buf no_tracing;

static struct perf_build_ids build_ids;

static struct perf_data_facts facts_of(int level)
{
	return (struct perf_data_facts){
		.events = events,
		.events_count = 2,
		.version = "1.2",
		.command = words,
		.tracing = &no_tracing,
		.build_ids = &build_ids,
		.clock = CLOCK_MONOTONIC,
		.ring_bytes = 1 << 20,
		.level = level,
	};
}

static uint64_t put_record(uint8_t *to, uint32_t type, uint64_t value)
{
	const struct perf_event_header header = {.type = type, .size = RECORD_BYTES};

	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), &value, sizeof(value));
	return RECORD_BYTES;
}

/* What was written. */
static uint8_t *contents(int fd, size_t *len)
{
	static uint8_t bytes[FILE_BYTES];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	assert_true(n > 0 && (size_t)n < sizeof(bytes));
	*len = (size_t)n;
	return bytes;
}

/* A description of a file; NULL: it has none. */
static const uint8_t *description(const uint8_t *file, enum perf_data_feature feature,
				  uint64_t *bytes)
{
	const struct perf_data_header *header = (const struct perf_data_header *)file;
	const struct perf_data_section *section =
		(const struct perf_data_section *)(file + header->data.offset + header->data.bytes);

	if (!(header->features[0] >> feature & 1))
		return NULL;
	for (int i = 0; i < (int)feature; i++)
		section += header->features[0] >> i & 1;
	*bytes = section->bytes;
	return file + section->offset;
}

static void check_text(const uint8_t *file, enum perf_data_feature feature, const char *text)
{
	uint64_t bytes;
	const uint8_t *found = description(file, feature, &bytes);

	assert_non_null(found);
	assert_int_equal(bytes, 4 + 64);
	assert_int_equal(found[0], 64);
	assert_string_equal((const char *)found + 4, text);
}

static void write_records(struct perf_data_writer *writer, size_t rings, size_t records)
{
	size_t bytes = records * RECORD_BYTES;
	uint8_t *ring = malloc(bytes), own[RECORD_BYTES];

	put_record(own, PERF_RECORD_COMM, 1);
	perf_data_writer_append(writer, own, sizeof(own));
	for (size_t i = 0; i < rings; i++) {
		/* The ring wraps in the middle of a record. */
		const struct iovec parts[] = {{ring, bytes / 2 + 8},
					      {ring + bytes / 2 + 8, bytes / 2 - 8}};

		for (size_t k = 0; k < records; k++)
			put_record(ring + k * RECORD_BYTES, PERF_RECORD_SAMPLE, i * records + k);
		assert_int_equal(perf_data_writer_append_ring(writer, parts, 2), 0);
		assert_int_equal(perf_data_writer_round(writer), 0);
	}
	free(ring);
}

static void writes_a_file(void **state)
{
	const struct perf_data_end end = {5, 6};
	const struct perf_data_facts facts = facts_of(0);
	struct perf_build_id id = {.size = 20, .bytes = {0xab}};
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	const struct perf_data_header *header;
	const struct perf_data_build_id *named;
	uint64_t bytes, at, samples = 0, rounds = 0;
	const uint8_t *file;
	size_t len;

	perf_build_ids_add(&build_ids, "/bin/x", &id, false);
	assert_int_equal(perf_data_writer_create(fd, false, &facts, &writer, &err), 0);
	write_records(writer, 3, 100);
	assert_int_equal(perf_data_writer_finish(writer, &end), 0);
	file = contents(fd, &len);
	assert_int_equal(perf_data_writer_bytes(writer), len);
	perf_data_writer_destroy(writer);
	header = (const struct perf_data_header *)file;
	assert_memory_equal(header->magic, "PERFILE2", 8);
	assert_int_equal(header->attr_bytes, 128 + 16);
	assert_int_equal(header->attrs.bytes, 2 * header->attr_bytes);
	assert_memory_equal(file + header->header_bytes, ids, sizeof(ids));
	assert_memory_equal(file + header->attrs.offset, &events[0].attr, 128);
	assert_int_equal(header->data.bytes, (1 + 3 * 100) * RECORD_BYTES + 3 * 8);
	for (at = header->data.offset; at < header->data.offset + header->data.bytes;) {
		const struct perf_event_header *record =
			(const struct perf_event_header *)(file + at);

		if (record->type == PERF_RECORD_SAMPLE)
			assert_int_equal(*(const uint64_t *)(file + at + 8), samples++);
		rounds += record->type == PERF_DATA_FINISHED_ROUND;
		at += record->size;
	}
	assert_int_equal(samples, 300);
	assert_int_equal(rounds, 3);
	check_text(file, PERF_DATA_VERSION, "1.2");
	assert_memory_equal(description(file, PERF_DATA_SAMPLE_TIME, &bytes), &end, sizeof(end));
	named = (const struct perf_data_build_id *)description(file, PERF_DATA_BUILD_ID, &bytes);
	assert_int_equal(named->header.size, bytes);
	assert_int_equal(named->id[0], 0xab);
	assert_string_equal((const char *)(named + 1), "/bin/x");
	assert_null(description(file, PERF_DATA_TRACING_DATA, &bytes));
	assert_null(description(file, PERF_DATA_COMPRESSED, &bytes));
	assert_non_null(description(file, PERF_DATA_GROUP_DESC, &bytes));
	close(fd);
	perf_build_ids_finish(&build_ids);
}

/* Who reads it while it is written, or after the program was killed, finds whole records. */
static void a_file_is_readable_before_its_end(void **state)
{
	const struct perf_data_facts facts = facts_of(0);
	const struct timespec more_than_a_second = {1, 50000000};
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	const struct perf_data_header *header;
	size_t len;

	assert_int_equal(perf_data_writer_create(fd, false, &facts, &writer, &err), 0);
	nanosleep(&more_than_a_second, NULL);
	write_records(writer, 1, 10);
	header = (const struct perf_data_header *)contents(fd, &len);
	assert_int_equal(header->data.bytes, 11 * RECORD_BYTES + 8);
	assert_int_equal(len, header->data.offset + header->data.bytes);
	perf_data_writer_destroy(writer);
	close(fd);
}

static void compresses_rings(void **state)
{
	static uint8_t raw[FILE_BYTES];
	const struct perf_data_end end = {0};
	const struct perf_data_facts facts = facts_of(3);
	const size_t records = 20000;
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	ZSTD_DStream *unpacker = ZSTD_createDStream();
	ZSTD_outBuffer out = {raw, sizeof(raw), 0};
	const struct perf_data_header *header;
	const uint8_t *file;
	uint64_t all, packed;
	size_t len;

	assert_int_equal(perf_data_writer_create(fd, false, &facts, &writer, &err), 0);
	write_records(writer, 2, records);
	assert_int_equal(perf_data_writer_finish(writer, &end), 0);
	perf_data_writer_ratio(writer, &all, &packed);
	perf_data_writer_destroy(writer);
	assert_int_equal(all, 2 * records * RECORD_BYTES);
	assert_true(packed < all / 2);
	file = contents(fd, &len);
	header = (const struct perf_data_header *)file;
	for (uint64_t at = header->data.offset; at < header->data.offset + header->data.bytes;) {
		const struct perf_event_header *record =
			(const struct perf_event_header *)(file + at);
		ZSTD_inBuffer in = {record + 1, record->size - sizeof(*record), 0};
		size_t before = out.pos;

		assert_true(record->size >= sizeof(*record));
		at += record->size;
		if (record->type != PERF_DATA_COMPRESSED_RECORD)
			continue;
		/* At once, and no more than a reader has room for. */
		assert_false(ZSTD_isError(ZSTD_decompressStream(unpacker, &out, &in)));
		assert_int_equal(in.pos, in.size);
		assert_true(out.pos > before && out.pos - before <= facts.ring_bytes);
	}
	assert_int_equal(out.pos, all);
	for (size_t i = 0; i < 2 * records; i++)
		assert_int_equal(*(const uint64_t *)(raw + i * RECORD_BYTES + 8), i);
	assert_non_null(description(file, PERF_DATA_COMPRESSED, &packed));
	ZSTD_freeDStream(unpacker);
	close(fd);
}

/* Everything is a record. */
static void writes_a_pipe(void **state)
{
	static const char text[] = "formats";
	struct buf tracing = {(char *)(uintptr_t)text, sizeof(text), sizeof(text)};
	struct perf_data_facts facts = facts_of(0);
	const struct perf_data_end end = {1, 2};
	struct perf_build_id id = {.size = 20};
	unsigned int counts[128] = {0};
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	const uint8_t *file;
	size_t len, at;

	facts.tracing = &tracing;
	perf_build_ids_add(&build_ids, "/bin/x", &id, true);
	assert_int_equal(perf_data_writer_create(fd, true, &facts, &writer, &err), 0);
	write_records(writer, 2, 10);
	assert_int_equal(perf_data_writer_finish(writer, &end), 0);
	perf_data_writer_destroy(writer);
	file = contents(fd, &len);
	assert_memory_equal(file, "PERFILE2\020\0\0\0\0\0\0\0", 16);
	for (at = PERF_DATA_PIPE_HEADER_BYTES; at < len;) {
		const struct perf_event_header *record =
			(const struct perf_event_header *)(file + at);

		assert_true(record->type < 128 && record->size >= sizeof(*record));
		counts[record->type]++;
		at += record->size;
		if (record->type == PERF_DATA_HEADER_TRACING_DATA)
			at += (sizeof(text) + 7) / 8 * 8;
	}
	assert_int_equal(at, len);
	assert_int_equal(counts[PERF_DATA_HEADER_ATTR], 2);
	assert_int_equal(counts[PERF_DATA_EVENT_UPDATE], 2);
	assert_int_equal(counts[PERF_DATA_HEADER_TRACING_DATA], 1);
	assert_int_equal(counts[PERF_DATA_HEADER_BUILD_ID], 1);
	assert_int_equal(counts[PERF_RECORD_SAMPLE], 20);
	assert_true(counts[PERF_DATA_HEADER_FEATURE] > 5);
	close(fd);
	perf_build_ids_finish(&build_ids);
}

static void says_that_it_cannot_write(void **state)
{
	const struct perf_data_facts facts = facts_of(0);
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_int_equal(perf_data_writer_create(fd, true, &facts, &writer, &err), -ENOSPC);
	assert_string_equal(err.text, "cannot write: No space left on device");
	perf_data_writer_destroy(NULL);
	close(fd);
}

static void describes_the_machine(void **state)
{
	struct perf_data_facts facts = facts_of(0);
	struct perf_data_described described;
	struct buf out = {0};

	perf_data_described_init(&facts, &described);
	assert_true(described.wall_ns > described.clock_ns);
	assert_true(perf_data_feature_append(PERF_DATA_CLOCK_DATA, &described, &out));
	assert_int_equal(out.len, 24);
	assert_true(perf_data_feature_append(PERF_DATA_TOTAL_MEM, &described, &out));
	assert_int_equal(out.len, 32);
	/* What is known at the end alone. */
	assert_false(perf_data_feature_append(PERF_DATA_SAMPLE_TIME, &described, &out));
	assert_false(perf_data_feature_append(PERF_DATA_BUILD_ID, &described, &out));
	facts.clock = -1;
	assert_false(perf_data_feature_append(PERF_DATA_CLOCK_DATA, &described, &out));
	assert_false(perf_data_feature_append(PERF_DATA_CLOCKID, &described, &out));
	assert_int_equal(out.len, 32);
	buf_clear(&out);
	perf_data_append_string(&out,
				"sixty-four bytes with its NUL, and then it takes as many more...");
	assert_int_equal(out.len, 4 + 128);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_a_file),
	cmocka_unit_test(a_file_is_readable_before_its_end),
	cmocka_unit_test(compresses_rings),
	cmocka_unit_test(writes_a_pipe),
	cmocka_unit_test(says_that_it_cannot_write),
	cmocka_unit_test(describes_the_machine),
};

UNIT_GROUP(tests);
