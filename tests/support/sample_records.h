/* SPDX-License-Identifier: MIT */
/* Records of perf events for tests, byte by byte as the kernel lays them out. */
#ifndef TESTS_SAMPLE_RECORDS_H
#define TESTS_SAMPLE_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

enum { TEST_RECORD_BYTES = 4096 };

struct test_record {
	uint8_t bytes[TEST_RECORD_BYTES];
	size_t len;
};

static inline void test_record_begin(struct test_record *record, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	memcpy(record->bytes, &header, sizeof(header));
	record->len = sizeof(header);
}

static inline void test_record_put(struct test_record *record, const void *bytes, size_t len)
{
	memcpy(record->bytes + record->len, bytes, len);
	record->len += len;
}

static inline void test_record_u64(struct test_record *record, uint64_t number)
{
	test_record_put(record, &number, sizeof(number));
}

static inline void test_record_u32(struct test_record *record, uint32_t number)
{
	test_record_put(record, &number, sizeof(number));
}

/* Padded, as records are; and its length into the header. */
static inline void test_record_end(struct test_record *record)
{
	uint16_t size;

	while (record->len % 8)
		record->bytes[record->len++] = 0;
	size = (uint16_t)record->len;
	memcpy(record->bytes + 6, &size, sizeof(size));
}

/* What each sample begins with. */
static inline void test_sample_begin(struct test_record *record, uint64_t id, uint64_t ip,
				     int32_t pid, uint64_t time)
{
	test_record_begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	test_record_u64(record, id);
	test_record_u64(record, ip);
	test_record_u32(record, (uint32_t)pid);
	test_record_u32(record, (uint32_t)pid + 1);
	test_record_u64(record, time);
	test_record_u64(record, 0x601040);
	test_record_u32(record, 3);
	test_record_u32(record, 0);
	test_record_u64(record, 7);
}

/* What other records end with. */
static inline void test_record_tail(struct test_record *record, int32_t pid, uint64_t time)
{
	while (record->len % 8)
		record->bytes[record->len++] = 0;
	test_record_u32(record, (uint32_t)pid);
	test_record_u32(record, (uint32_t)pid);
	test_record_u64(record, time);
	test_record_u32(record, 3);
	test_record_u32(record, 0);
	test_record_u64(record, 99);
	test_record_end(record);
}

static inline void test_mapping(struct test_record *record, int32_t pid, uint64_t time,
				const char *path)
{
	test_record_begin(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	test_record_u32(record, (uint32_t)pid);
	test_record_u32(record, (uint32_t)pid);
	test_record_u64(record, 0x400000);
	test_record_u64(record, 0x2000);
	test_record_u64(record, 0x1000);
	test_record_u32(record, 8);
	test_record_u32(record, 1);
	test_record_u64(record, 4711);
	test_record_u64(record, 5);
	test_record_u32(record, 5);
	test_record_u32(record, 2);
	test_record_put(record, path, strlen(path) + 1);
	test_record_tail(record, pid, time);
}

#endif
