/* SPDX-License-Identifier: MIT */
/* What the writer of perf.data writes, read back: files, pipes, compressed, cut, and damaged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "abi.h"
#include "event/event.h"
#include "perf/data/format.h"
#include "perf/data/writer.h"
#include "scap/recorded/reader_impl.h"
#include "unit.h"

enum { PID = 7, SAMPLES = 50, FILE_BYTES = 1 << 16, CALLS_MAX = 1000 };

static const uint64_t type =
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
static const uint64_t ids[] = {1, 2};
static char *const words[] = {"agent", NULL};
static const struct buf no_tracing;

/* A file in memory, and where it can be opened. */
struct memory_file {
	int fd;
	char path[32];
};

static void make_file(struct memory_file *file, const void *bytes, size_t len)
{
	file->fd = memfd_create("perf.data", MFD_CLOEXEC);
	assert_int_equal(write(file->fd, bytes, len), len);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static void put_sample(uint8_t **to, uint64_t id, uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, ip;
		int32_t pid, tid;
		uint64_t time_ns;
	} sample = {{.type = PERF_RECORD_SAMPLE, .misc = 2, .size = sizeof(sample)},
		    id,
		    0x1000,
		    PID,
		    PID,
		    time_ns};

	memcpy(*to, &sample, sizeof(sample));
	*to += sizeof(sample);
}

static void append_comm(struct perf_data_writer *writer)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[8];
		uint64_t trailer[3];
	} comm = {{.type = PERF_RECORD_COMM, .size = sizeof(comm)}, PID, PID, "program", {0}};

	perf_data_writer_append(writer, &comm, sizeof(comm));
}

/* Two rings, each in order, of which the second one is ahead; in two rounds. */
static size_t write_file(bool is_pipe, int level, uint8_t bytes[FILE_BYTES])
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = PERF_DATA_ATTR_BYTES,
					     .sample_type = type,
					     .sample_id_all = 1};
	const struct perf_data_event events[] = {{attr, "first", ids, 1, 0},
						 {attr, "second", ids + 1, 1, 0}};
	struct perf_build_ids build_ids = {0};
	const struct perf_data_facts facts = {.events = events,
					      .events_count = 2,
					      .version = "1",
					      .command = words,
					      .tracing = &no_tracing,
					      .build_ids = &build_ids,
					      .clock = CLOCK_MONOTONIC,
					      .ring_bytes = 1 << 16,
					      .level = level};
	const struct perf_data_end end = {1, 2};
	struct perf_data_writer *writer;
	struct error err = {""};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	ssize_t n;

	assert_int_equal(perf_data_writer_create(fd, is_pipe, &facts, &writer, &err), 0);
	append_comm(writer);
	for (uint64_t round = 0; round < 2; round++) {
		for (uint64_t ring = 2; ring-- > 0;) {
			uint8_t memory[SAMPLES * 40], *to = memory;
			struct iovec part = {memory, 0};

			for (uint64_t i = 0; i < SAMPLES; i++)
				put_sample(&to, ids[i % 2], 1000 * round + 10 * i + ring + 1);
			part.iov_len = (size_t)(to - memory);
			assert_int_equal(perf_data_writer_append_ring(writer, &part, 1), 0);
		}
		assert_int_equal(perf_data_writer_round(writer), 0);
	}
	assert_int_equal(perf_data_writer_finish(writer, &end), 0);
	perf_data_writer_destroy(writer);
	n = pread(fd, bytes, FILE_BYTES, 0);
	assert_true(n > 0 && n < FILE_BYTES);
	close(fd);
	return (size_t)n;
}

struct seen {
	struct scap_snapshot snapshot;
	unsigned int threads, threads_at_start, events, first, second;
	uint64_t last_ns;
	int code; /* how it ended */
	char problem[512];
	struct scap_reader_stats stats;
};

static int pass(struct scap_snapshot *to)
{
	return 0;
}

static int pass_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	return 0;
}

static bool sees_any_thread;

static int see_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct seen *seen = (struct seen *)to;

	if (!sees_any_thread)
		assert_int_equal(thread->tid, PID);
	assert_string_equal(thread->comm, "program");
	seen->threads++;
	return 0;
}

static void see(struct seen *seen, const struct scap_event *event)
{
	struct event decoded;
	struct ppm_evt_hdr header;

	assert_int_equal(event_decode(event->frame, event->len, event->cpu, &decoded), 0);
	memcpy(&header, event->frame, sizeof(header));
	assert_int_equal(header.tid, PID);
	assert_true(header.ts >= seen->last_ns);
	seen->last_ns = header.ts;
	seen->events++;
	seen->first += memmem(event->frame, event->len, "first", 6) != NULL;
	seen->second += memmem(event->frame, event->len, "second", 7) != NULL;
}

/* Reads all; returns 0 or the error of opening. */
static int read_file(const void *bytes, size_t len, struct seen *seen)
{
	static const struct scap_snapshot_ops ops = {
		.begin = pass, .machine = pass_machine, .thread = see_thread, .end = pass};
	struct recorded_reader *reader;
	struct scap_stream *stream;
	struct scap_event event;
	struct memory_file file;
	struct error err = {""};
	int r, calls = 0;

	*seen = (struct seen){.snapshot = {&ops}};
	make_file(&file, bytes, len);
	assert_int_equal(scap_stream_open(file.path, &stream, &err), 0);
	assert_int_equal(scap_stream_need(stream, 8, -1), 1);
	assert_true(recorded_reader_is(stream));
	r = recorded_reader_open(file.path, stream, "/proc/kallsyms", &reader, &err);
	close(file.fd);
	if (r) {
		snprintf(seen->problem, sizeof(seen->problem), "%.500s", err.text);
		return r;
	}
	while ((r = recorded_reader_start(reader, &seen->snapshot, &err)) == -EINTR)
		assert_true(calls++ < CALLS_MAX);
	assert_int_equal(r, 0);
	seen->threads_at_start = seen->threads;
	do {
		r = scap_source_next(recorded_reader_source(reader), 0, &event);
		if (r == 1)
			see(seen, &event);
	} while (r >= 0 && calls++ < CALLS_MAX);
	assert_true(r < 0);
	seen->code = r;
	snprintf(seen->problem, sizeof(seen->problem), "%s", recorded_reader_problem(reader));
	recorded_reader_stats(reader, &seen->stats);
	scap_source_destroy(recorded_reader_source(reader));
	return 0;
}

static void reads_what_was_written(void **state)
{
	static uint8_t bytes[FILE_BYTES];
	struct seen seen;

	for (int form = 0; form < 4; form++) {
		size_t len = write_file(form % 2, form / 2, bytes);
		uint64_t now_ns = (uint64_t)time(NULL) * 1000000000;

		assert_int_equal(read_file(bytes, len, &seen), 0);
		assert_int_equal(seen.code, -ENODATA);
		assert_int_equal(seen.events, 4 * SAMPLES);
		assert_int_equal(seen.first, 2 * SAMPLES);
		assert_int_equal(seen.second, 2 * SAMPLES);
		assert_int_equal(seen.threads, 1);
		assert_int_equal(seen.threads_at_start, 1);
		assert_int_equal(seen.stats.events, 4 * SAMPLES);
		assert_int_equal(seen.stats.corrupt_events + seen.stats.corrupt_lists +
					 seen.stats.unknown_events + seen.stats.unordered,
				 0);
		/* On the wall clock: the first moments of the monotonic one were at the start. */
		assert_true(seen.last_ns > now_ns / 2 && seen.last_ns < now_ns);
	}
}

/* All before the cut is given out, and then it is said. */
static void reads_up_to_a_cut(void **state)
{
	static uint8_t bytes[FILE_BYTES];
	unsigned int before = 0;
	struct seen seen;

	for (int form = 0; form < 2; form++) {
		size_t len = write_file(form, 0, bytes), step = form ? 7 : 41;

		before = 0;
		for (size_t cut = 8; cut < len; cut += step) {
			int r = read_file(bytes, cut, &seen);

			if (r) {
				assert_int_equal(r, -EPIPE);
				assert_non_null(strstr(seen.problem, "truncated"));
				continue;
			}
			assert_true(seen.code == -EPIPE || seen.code == -ENODATA ||
				    seen.code == -EBADMSG);
			assert_true(seen.events >= before);
			before = seen.events;
		}
		assert_true(before > 3 * SAMPLES);
	}
}

/* Whose writing was broken off does not say how long its data is. */
static void reads_what_was_not_finished(void **state)
{
	static uint8_t bytes[FILE_BYTES];
	struct perf_data_header header;
	struct seen seen;

	write_file(false, 0, bytes);
	memcpy(&header, bytes, sizeof(header));
	assert_true(header.data.bytes > 0);
	memset(bytes + offsetof(struct perf_data_header, data.bytes), 0, sizeof(uint64_t));
	memset(bytes + offsetof(struct perf_data_header, features), 0, sizeof(uint64_t));
	assert_int_equal(read_file(bytes, header.data.offset + header.data.bytes, &seen), 0);
	assert_int_equal(seen.code, -ENODATA);
	assert_int_equal(seen.events, 4 * SAMPLES);
}

static void rejects_what_it_cannot_read(void **state)
{
	static uint8_t bytes[FILE_BYTES];
	struct perf_data_header header;
	size_t len = write_file(false, 0, bytes);
	struct seen seen;
	static const struct {
		size_t offset;
		uint64_t value;
		const char *problem;
	} rows[] = {
		{offsetof(struct perf_data_header, header_bytes), 24, "it is too short"},
		{offsetof(struct perf_data_header, attr_bytes), 16, "the size of events"},
		{offsetof(struct perf_data_header, attr_bytes), 1 << 20, "the size of events"},
		{offsetof(struct perf_data_header, attrs.offset), UINT64_MAX,
		 "events are not before the data"},
		{offsetof(struct perf_data_header, attrs.bytes), UINT64_MAX,
		 "events are not before the data"},
		{offsetof(struct perf_data_header, data.offset), UINT64_MAX,
		 "events are not before the data"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before;

		memcpy(&before, bytes + rows[i].offset, sizeof(before));
		memcpy(bytes + rows[i].offset, &rows[i].value, sizeof(before));
		assert_int_equal(read_file(bytes, len, &seen), -EBADMSG);
		assert_non_null(strstr(seen.problem, rows[i].problem));
		memcpy(bytes + rows[i].offset, &before, sizeof(before));
	}
	memcpy(&header, bytes, sizeof(header));
	/* A record that says that it has no bytes: all before it is given out. */
	memset(bytes + header.data.offset + 48 + 6 + 10 * 40, 0, 2);
	assert_int_equal(read_file(bytes, len, &seen), 0);
	assert_int_equal(seen.code, -EBADMSG);
	assert_int_equal(seen.events, 10);
	memcpy(bytes, "2ELIFREP", 8);
	assert_int_equal(read_file(bytes, len, &seen), -ENOTSUP);
	assert_non_null(strstr(seen.problem, "the other order of bytes"));
}

/* A pipe that is put together record by record. */
struct pipe_file {
	uint8_t bytes[8192];
	size_t len;
};

static void put_bytes(struct pipe_file *file, const void *bytes, size_t len)
{
	assert_true(file->len + len <= sizeof(file->bytes));
	memcpy(file->bytes + file->len, bytes, len);
	file->len += len;
}

static void put_record(struct pipe_file *file, uint32_t kind, uint16_t misc, const void *body,
		       size_t len)
{
	const struct perf_event_header header = {
		.type = kind, .misc = misc, .size = (uint16_t)(sizeof(header) + len)};

	put_bytes(file, &header, sizeof(header));
	if (len)
		put_bytes(file, body, len);
}

static void begin_pipe_with(struct pipe_file *file, uint64_t read_format)
{
	const uint64_t bytes = PERF_DATA_PIPE_HEADER_BYTES;
	const struct {
		struct perf_event_attr attr;
		uint64_t id;
	} body = {{.size = sizeof(body.attr),
		   .sample_type = type,
		   .read_format = read_format,
		   .sample_id_all = 1},
		  1};
	const struct {
		uint64_t kind, id;
		char name[8];
	} update = {PERF_DATA_UPDATE_NAME, 1, "first"};

	file->len = 0;
	put_bytes(file, PERF_DATA_MAGIC, 8);
	put_bytes(file, &bytes, sizeof(bytes));
	put_record(file, PERF_DATA_HEADER_ATTR, 0, &body, sizeof(body));
	put_record(file, PERF_DATA_EVENT_UPDATE, 0, &update, sizeof(update));
}

static void begin_pipe(struct pipe_file *file)
{
	begin_pipe_with(file, 0);
}

static void put_comm_of(struct pipe_file *file, int32_t tid)
{
	const struct {
		int32_t pid, tid;
		char comm[8];
		uint64_t trailer[3];
	} comm = {tid, tid, "program", {0}};

	put_record(file, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm));
}

static void put_comm(struct pipe_file *file)
{
	put_comm_of(file, PID);
}

static void put_pipe_sample(struct pipe_file *file, uint64_t time_ns)
{
	uint8_t sample[40], *to = sample;

	put_sample(&to, 1, time_ns);
	put_bytes(file, sample, sizeof(sample));
}

/* Mappings, tasks and losses, and what is passed over, with what stands behind it. */
static void reads_records_of_all_kinds(void **state)
{
	const struct {
		int32_t pid, tid;
		uint64_t begin, bytes, offset;
		char path[24];
		uint64_t trailer[3];
	} kernel = {-1, 0, 0x1000, 0x1000, 0x1000, "[kernel.kallsyms]_text", {0}};
	const struct {
		int32_t pid, tid;
		uint64_t begin, bytes, offset, file[3];
		uint32_t protection, flags;
		char path[16];
		uint64_t trailer[3];
	} mapping = {PID, PID, 0x1000, 0x1000, 0, {20}, 5, 2, "/nonexistent", {0, 5, 0}};
	const struct {
		int32_t pid, parent, tid, parent_tid;
		uint64_t time_ns, trailer[3];
	} task = {PID, 1, PID, 1, 7, {0, 7, 0}};
	const struct {
		uint64_t id, lost, trailer[3];
	} lost = {1, 9, {0, 8, 1}};
	const struct {
		uint64_t bytes, offset, reference;
		uint32_t numbers[4];
	} trace = {24, 0, 0, {0}};
	const uint64_t behind[3] = {0}, feature[2] = {PERF_DATA_HOSTNAME, UINT32_MAX};
	const uint32_t formats[2] = {24, 0};
	static struct pipe_file file;
	struct seen seen;

	begin_pipe(&file);
	put_record(&file, PERF_DATA_HEADER_TRACING_DATA, 0, formats, sizeof(formats));
	put_bytes(&file, behind, sizeof(behind));
	put_record(&file, PERF_DATA_HEADER_FEATURE, 0, feature, sizeof(feature));
	put_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &kernel, sizeof(kernel));
	put_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &mapping, sizeof(kernel));
	put_comm(&file);
	put_record(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, &mapping,
		   sizeof(mapping));
	put_record(&file, PERF_DATA_AUXTRACE, 0, &trace, sizeof(trace));
	put_bytes(&file, behind, sizeof(behind));
	put_pipe_sample(&file, 6);
	put_record(&file, PERF_RECORD_FORK, 0, &task, sizeof(task));
	put_record(&file, PERF_RECORD_LOST, 0, &lost, sizeof(lost));
	put_record(&file, PERF_RECORD_EXIT, 0, &task, sizeof(task));
	put_record(&file, 63, 0, behind, sizeof(behind));
	put_record(&file, 1000, 0, behind, sizeof(behind));
	put_pipe_sample(&file, 9);
	assert_int_equal(read_file(file.bytes, file.len, &seen), 0);
	assert_int_equal(seen.code, -ENODATA);
	assert_int_equal(seen.events, 2);
	assert_int_equal(seen.first, 2);
	assert_int_equal(seen.stats.lost, 9);
	/* The name of the host is longer than what has it. */
	assert_int_equal(seen.stats.corrupt_lists, 1);
}

/* Said as it happened, or at the end; or both, if the events say that they count it. */
static void counts_what_was_lost(void **state)
{
	static const struct {
		uint64_t read_format, lost, lost_samples, left_out, sum;
	} rows[] = {
		{0, 0, 5, 0, 5},
		{0, 4, 5, 0, 9},
		{PERF_FORMAT_LOST, 0, 5, 0, 5},
		{PERF_FORMAT_LOST, 4, 5, 0, 5},
		{PERF_FORMAT_LOST, 5, 0, 0, 5},
		{PERF_FORMAT_LOST, 4, 5, 7, 5},
	};
	static struct pipe_file file;
	struct seen seen;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t lost[] = {1, rows[i].lost, 0, 2, 1};
		const uint64_t samples[] = {rows[i].lost_samples, 0, 3, 1};
		const uint64_t left_out[] = {rows[i].left_out, 0, 3, 1};

		begin_pipe_with(&file, rows[i].read_format);
		put_comm(&file);
		put_pipe_sample(&file, 1);
		put_record(&file, PERF_RECORD_LOST, 0, lost, sizeof(lost));
		put_record(&file, PERF_RECORD_LOST_SAMPLES, 0, samples, sizeof(samples));
		put_record(&file, PERF_RECORD_LOST_SAMPLES, 1 << 15, left_out, sizeof(left_out));
		put_record(&file, PERF_RECORD_LOST_SAMPLES, 0, NULL, 0);
		assert_int_equal(read_file(file.bytes, file.len, &seen), 0);
		assert_int_equal(seen.events, 1);
		assert_int_equal(seen.stats.lost, rows[i].sum);
	}
}

/* Of the second form of compressed records, with bytes behind the data. */
static void reads_both_forms_of_compression(void **state)
{
	static struct pipe_file plain, file;
	struct seen seen;

	for (int form = 0; form < 3; form++) {
		uint8_t body[1024] = {0};
		uint64_t len;

		plain.len = 0;
		put_comm(&plain);
		for (uint64_t i = 1; i <= 10; i++)
			put_pipe_sample(&plain, i);
		len = ZSTD_compress(body + 8, sizeof(body) - 16, plain.bytes, plain.len, 1);
		assert_false(ZSTD_isError(len));
		memcpy(body, &len, sizeof(len));
		begin_pipe(&file);
		if (form == 2)
			body[12] ^= 0xff;
		if (form)
			put_record(&file, PERF_DATA_COMPRESSED_RECORD_2, 0, body, 16 + len / 8 * 8);
		else
			put_record(&file, PERF_DATA_COMPRESSED_RECORD, 0, body + 8, len);
		assert_int_equal(read_file(file.bytes, file.len, &seen), 0);
		assert_int_equal(seen.code, form == 2 ? -EBADMSG : -ENODATA);
		assert_int_equal(seen.events, form == 2 ? 0 : 10);
	}
}

/* However much a compressed record has, no more waits than is allowed. */
static void unpacks_in_parts(void **state)
{
	enum { RECORDS = 1 << 20, BYTES_MAX = 1 << 20, WAITING_MAX = 1 << 18 };
	static const struct scap_snapshot_ops ops = {
		.begin = pass, .machine = pass_machine, .thread = see_thread, .end = pass};
	const struct perf_event_header small = {.type = PERF_RECORD_COMM, .size = sizeof(small)};
	struct perf_event_header *records = calloc(RECORDS, sizeof(*records));
	struct scap_snapshot snapshot = {&ops};
	struct recorded_reader *reader;
	static struct pipe_file file;
	struct scap_stream *stream;
	struct memory_file memory;
	struct scap_event event;
	struct error err = {""};
	uint8_t body[4096];
	size_t len;
	int r;

	assert_non_null(records);
	for (size_t i = 0; i < RECORDS; i++)
		records[i] = small;
	len = ZSTD_compress(body, sizeof(body), records, RECORDS * sizeof(*records), 3);
	free(records);
	assert_false(ZSTD_isError(len));
	begin_pipe(&file);
	put_record(&file, PERF_DATA_COMPRESSED_RECORD, 0, body, len);
	put_pipe_sample(&file, 1);
	make_file(&memory, file.bytes, file.len);
	assert_int_equal(scap_stream_open(memory.path, &stream, &err), 0);
	assert_int_equal(scap_stream_need(stream, 8, -1), 1);
	assert_int_equal(recorded_reader_open(memory.path, stream, NULL, &reader, &err), 0);
	close(memory.fd);
	reader->order.bytes_max = BYTES_MAX;
	while ((r = recorded_reader_start(reader, &snapshot, &err)) == -EINTR)
		;
	assert_int_equal(r, 0);
	assert_int_equal(scap_source_next(recorded_reader_source(reader), 0, &event), 1);
	assert_int_equal(reader->order.sequence, RECORDS + 1);
	assert_true(reader->order.capacity <= WAITING_MAX);
	scap_source_destroy(recorded_reader_source(reader));
}

/* Ids go up to 4 millions: whichever are alive, their children have their names. */
static void knows_many_tasks(void **state)
{
	enum { TASKS = 20, APART = 1 << 16 };
	static struct pipe_file file;
	struct seen seen;

	begin_pipe(&file);
	for (int32_t i = 0; i < TASKS; i++)
		put_comm_of(&file, 1 + i * APART);
	for (int32_t i = 0; i < TASKS; i++) {
		const struct {
			int32_t pid, parent, tid, parent_tid;
			uint64_t time_ns, trailer[3];
		} task = {100 + i, 1 + i * APART, 100 + i, 1 + i * APART, 0, {0}};

		put_record(&file, PERF_RECORD_FORK, 0, &task, sizeof(task));
	}
	put_pipe_sample(&file, 1);
	sees_any_thread = true;
	assert_int_equal(read_file(file.bytes, file.len, &seen), 0);
	sees_any_thread = false;
	assert_int_equal(seen.threads, 2 * TASKS);
}

static void rejects_records_without_events(void **state)
{
	static struct pipe_file file;
	struct seen seen;

	begin_pipe(&file);
	file.len = PERF_DATA_PIPE_HEADER_BYTES;
	put_comm(&file);
	assert_int_equal(read_file(file.bytes, file.len, &seen), 0);
	assert_int_equal(seen.code, -EBADMSG);
	assert_non_null(strstr(seen.problem, "it has no events"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_what_was_written),
	cmocka_unit_test(reads_up_to_a_cut),
	cmocka_unit_test(reads_what_was_not_finished),
	cmocka_unit_test(rejects_what_it_cannot_read),
	cmocka_unit_test(reads_records_of_all_kinds),
	cmocka_unit_test(counts_what_was_lost),
	cmocka_unit_test(reads_both_forms_of_compression),
	cmocka_unit_test(unpacks_in_parts),
	cmocka_unit_test(knows_many_tasks),
	cmocka_unit_test(rejects_records_without_events),
};

UNIT_GROUP(tests);
