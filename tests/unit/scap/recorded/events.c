/* SPDX-License-Identifier: MIT */
/* Events of a file: which one a record is of, its time, and what samples of each form have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scap/recorded/events.h"
#include "unit.h"

enum { NUMBERS_MAX = 64 };

/* A record of numbers of 64 bits, in memory of its own size. */
struct made {
	uint64_t numbers[NUMBERS_MAX];
	size_t count;
};

static void add(struct made *made, uint64_t number)
{
	made->numbers[made->count++] = number;
}

static struct made begin(uint32_t type, uint16_t misc)
{
	struct made made = {.count = 1};
	const struct perf_event_header header = {.type = type, .misc = misc};

	memcpy(made.numbers, &header, sizeof(header));
	return made;
}

static size_t bytes_of(const struct made *made)
{
	return made->count * sizeof(uint64_t);
}

static void add_event(struct recorded_events *events, uint64_t type, uint64_t id)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .sample_type = type,
					     .sample_period = 5,
					     .sample_id_all = 1};

	assert_int_equal(recorded_events_add(events, (const uint8_t *)&attr, sizeof(attr),
					     (const uint8_t *)&id, 1),
			 0);
}

static void finds_the_event_of_a_record(void **state)
{
	static const uint64_t types[] = {
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			PERF_SAMPLE_CPU,
	};

	for (size_t i = 0; i < 2; i++) {
		struct recorded_events events = {0};
		struct made sample = begin(PERF_RECORD_SAMPLE, 0);
		struct made comm = begin(PERF_RECORD_COMM, 0);
		const uint64_t ours[2][5] = {{70, 0, 99}, {1, 0, 99, 70, 3}};
		const uint64_t trailers[2][4] = {{0, 88, 60}, {0, 88, 60, 3}};

		add_event(&events, types[i], 70);
		add_event(&events, types[i], 60);
		assert_int_equal(recorded_events_complete(&events), 0);
		for (size_t k = 0; k < (i ? 5 : 3); k++)
			add(&sample, ours[i][k]);
		add(&comm, 5);
		for (size_t k = 0; k < (i ? 4 : 3); k++)
			add(&comm, trailers[i][k]);
		assert_ptr_equal(
			recorded_events_of(&events, (uint8_t *)sample.numbers, bytes_of(&sample)),
			&events.list[0]);
		assert_int_equal(
			recorded_events_time(&events, (uint8_t *)sample.numbers, bytes_of(&sample)),
			99);
		assert_ptr_equal(
			recorded_events_of(&events, (uint8_t *)comm.numbers, bytes_of(&comm)),
			&events.list[1]);
		assert_int_equal(
			recorded_events_time(&events, (uint8_t *)comm.numbers, bytes_of(&comm)),
			88);
		assert_int_equal(recorded_events_trailer(&events), i ? 32 : 24);
		/* Of none; and what a program made has no id. */
		assert_null(recorded_events_of(&events, (uint8_t *)sample.numbers, 8));
		sample.numbers[i ? 4 : 1] = 71;
		assert_null(
			recorded_events_of(&events, (uint8_t *)sample.numbers, bytes_of(&sample)));
		comm.numbers[4] = 0;
		assert_non_null(
			recorded_events_of(&events, (uint8_t *)comm.numbers, bytes_of(&comm)));
		recorded_events_finish(&events);
	}
}

static void rejects_events_that_cannot_be_told_apart(void **state)
{
	struct recorded_events events = {0};
	uint8_t attr[128] = {0};

	assert_int_equal(recorded_events_complete(&events), -EBADMSG);
	assert_int_equal(recorded_events_add(&events, attr, 63, NULL, 0), -EBADMSG);
	add_event(&events, PERF_SAMPLE_IP, 1);
	assert_int_equal(recorded_events_complete(&events), 0);
	assert_false(recorded_events_are_timed(&events));
	add_event(&events, PERF_SAMPLE_IP, 2);
	assert_int_equal(recorded_events_complete(&events), -EBADMSG);
	for (int i = 2; i < RECORDED_EVENTS_MAX; i++)
		add_event(&events, PERF_SAMPLE_IP, (uint64_t)i);
	assert_int_equal(recorded_events_add(&events, attr, 64, NULL, 0), -E2BIG);
	assert_int_equal(recorded_events_add(&events, attr, 64, NULL, RECORDED_IDS_MAX + 1),
			 -E2BIG);
	recorded_events_finish(&events);
}

static void has_names(void **state)
{
	struct recorded_events events = {0};
	const struct perf_event_attr raw = {.type = PERF_TYPE_RAW, .config = 0x1a8};

	add_event(&events, PERF_SAMPLE_IDENTIFIER, 7);
	assert_int_equal(recorded_events_add(&events, (const uint8_t *)&raw, sizeof(raw), NULL, 0),
			 0);
	assert_string_equal(events.list[0].name, "page-faults");
	assert_string_equal(events.list[1].name, "4:0x1a8");
	recorded_events_name(&events, 7, "by its id", 100);
	recorded_events_name(&events, 8, "by none", 100);
	recorded_events_name_at(&events, 1, "by its place", 5);
	recorded_events_name_at(&events, 2, "nowhere", 5);
	assert_string_equal(events.list[0].name, "by its id");
	assert_string_equal(events.list[1].name, "by it");
	recorded_events_finish(&events);
}

/* All that may stand before what is of interest; cut anywhere, it is rejected. */
static void decodes_samples(void **state)
{
	struct recorded_event event = {
		.attr = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
					PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
					PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
					PERF_SAMPLE_STACK_USER,
			 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
					PERF_FORMAT_TOTAL_TIME_ENABLED}};
	const uint64_t numbers[] = {
		1,
		0x1000,
		(uint64_t)6 << 32 | 5,
		99,
		0x2000,
		1,
		2,
		3,
		44, /* up to the period */
		2,
		1000,
		10,
		1,
		20,
		2, /* counts of two */
		2,
		(uint64_t)PERF_CONTEXT_USER,
		0x1000, /* frames */
		(uint64_t)0xabcd << 32 | 4, /* raw data */
	};
	struct made made = begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct sample_record sample;
	uint32_t cpu;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add(&made, numbers[i]);
	assert_int_equal(recorded_sample_decode(&event, (uint8_t *)made.numbers, bytes_of(&made),
						&sample, &cpu),
			 0);
	assert_int_equal(sample.ip, 0x1000);
	assert_int_equal(sample.pid, 5);
	assert_int_equal(sample.tid, 6);
	assert_int_equal(sample.time_ns, 99);
	assert_int_equal(sample.addr, 0x2000);
	assert_int_equal(sample.period, 44);
	assert_int_equal(sample.mode, PERF_RECORD_MISC_USER);
	assert_int_equal(cpu, 3);
	assert_int_equal(sample.frames_count, 2);
	assert_int_equal(sample_frame(&sample, 1), 0x1000);
	assert_int_equal(sample.raw_bytes, 4);
	assert_memory_equal(sample.raw, "\xcd\xab\0\0", 4);
	for (size_t cut = 0; cut < bytes_of(&made); cut++) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy, made.numbers, cut);
		assert_int_equal(recorded_sample_decode(&event, copy, cut, &sample, &cpu),
				 -EBADMSG);
		free(copy);
	}
}

static void has_what_samples_lack(void **state)
{
	struct recorded_event event = {.attr = {.sample_type = PERF_SAMPLE_IP, .sample_period = 9}};
	struct made made = begin(PERF_RECORD_SAMPLE, 7);
	struct sample_record sample;
	uint32_t cpu;

	add(&made, 0x1000);
	assert_int_equal(recorded_sample_decode(&event, (uint8_t *)made.numbers, bytes_of(&made),
						&sample, &cpu),
			 0);
	assert_int_equal(sample.period, 9);
	assert_int_equal(sample.tid, -1);
	assert_int_equal(sample.mode, PERF_RECORD_MISC_CPUMODE_UNKNOWN);
	event.attr.freq = 1;
	assert_int_equal(recorded_sample_decode(&event, (uint8_t *)made.numbers, bytes_of(&made),
						&sample, &cpu),
			 0);
	assert_int_equal(sample.period, 1);
}

static void takes_formats(void **state)
{
	static const char head[] = "\027\010\104tracing0.6\0\0\010\0\020\0\0header_page\0"
				   "\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0\0\0\0\0"
				   "\1\0\0\0sched\0\1\0\0\0";
	static const char format[] = "name: one\nID: 5\nformat:\n\tfield:int a;\toffset:8;\tsize:4;"
				     "\tsigned:1;\n";
	const struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = 5};
	struct recorded_events events = {0};
	const uint64_t len = sizeof(format) - 1;
	struct buf bytes = {0};

	buf_append(&bytes, head, sizeof(head) - 1);
	buf_append(&bytes, &len, sizeof(len));
	buf_append(&bytes, format, len);
	assert_int_equal(
		recorded_events_add(&events, (const uint8_t *)&attr, sizeof(attr), NULL, 0), 0);
	recorded_events_take_formats(&events, bytes.data, bytes.len - 1);
	assert_false(events.list[0].has_tracepoint);
	recorded_events_take_formats(&events, bytes.data, bytes.len);
	assert_true(events.list[0].has_tracepoint);
	assert_string_equal(events.list[0].name, "sched:one");
	assert_int_equal(events.list[0].tracepoint.count, 1);
	buf_finish(&bytes);
	recorded_events_finish(&events);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_the_event_of_a_record),
	cmocka_unit_test(rejects_events_that_cannot_be_told_apart),
	cmocka_unit_test(has_names),
	cmocka_unit_test(decodes_samples),
	cmocka_unit_test(has_what_samples_lack),
	cmocka_unit_test(takes_formats),
};

UNIT_GROUP(tests);
