/* SPDX-License-Identifier: MIT */
/* Records of samples, mappings and tasks; cut at every byte, and with sizes that are absurd. */
#include "scap/samples/record.h"

#include <errno.h>
#include <stdlib.h>

#include "sample_records.h"
#include "unit.h"

#define STACKED (SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)
#define RAW (SAMPLE_TYPE | PERF_SAMPLE_RAW)

/* Decodes a copy on the heap that is exactly as long, so that a sanitizer sees any read beyond. */
static int decode_copy(const void *bytes, size_t len, uint64_t type, struct sample_record *sample,
		       void **copy)
{
	*copy = malloc(len ? len : 1);
	assert_non_null(*copy);
	memcpy(*copy, bytes, len);
	return sample_record_decode(*copy, len, type, sample);
}

static void decodes_what_each_sample_has(void **state)
{
	struct sample_record sample;
	struct test_record record;
	struct sample_head head;

	test_sample_begin(&record, 42, 0x401136, 100, 123456789);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, SAMPLE_TYPE, &sample), 0);
	assert_int_equal(sample.id, 42);
	assert_int_equal(sample.ip, 0x401136);
	assert_int_equal(sample.pid, 100);
	assert_int_equal(sample.tid, 101);
	assert_int_equal(sample.time_ns, 123456789);
	assert_int_equal(sample.addr, 0x601040);
	assert_int_equal(sample.period, 7);
	assert_int_equal(sample.mode, PERF_RECORD_MISC_USER);
	assert_int_equal(sample.frames_count, 0);
	assert_true(sample_head_read(record.bytes, record.len, &head));
	assert_int_equal(head.type, PERF_RECORD_SAMPLE);
	assert_int_equal(head.pid, 100);
	assert_int_equal(head.time_ns, 123456789);
	assert_int_equal(head.id, 42);
	/* A mode that no kernel has. */
	record.bytes[4] = 7;
	assert_int_equal(sample_record_decode(record.bytes, record.len, SAMPLE_TYPE, &sample), 0);
	assert_int_equal(sample.mode, PERF_RECORD_MISC_CPUMODE_UNKNOWN);
}

static void begin_stack(struct test_record *record, uint64_t count)
{
	test_sample_begin(record, 42, 0x401136, 100, 5);
	test_record_u64(record, count);
	test_record_u64(record, (uint64_t)PERF_CONTEXT_KERNEL);
	test_record_u64(record, 0xffffffff81000010);
	test_record_u64(record, (uint64_t)PERF_CONTEXT_USER);
	test_record_u64(record, 0x401136);
}

static void decodes_frames(void **state)
{
	static const uint8_t modes[] = {PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_KERNEL,
					PERF_RECORD_MISC_USER, PERF_RECORD_MISC_USER};
	uint8_t mode = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	struct sample_record sample;
	struct test_record record;

	begin_stack(&record, 4);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, STACKED, &sample), 0);
	assert_int_equal(sample.frames_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(sample_frame_is_marker(sample_frame(&sample, i), &mode),
				 i % 2 == 0);
		assert_int_equal(mode, modes[i]);
	}
	assert_int_equal(sample_frame(&sample, 3), 0x401136);
	/* A marker that is not known is no address. */
	assert_true(sample_frame_is_marker((uint64_t)-700, &mode));
	assert_int_equal(mode, PERF_RECORD_MISC_CPUMODE_UNKNOWN);
}

/* Counts that the record does not have, up to those whose bytes are no number any more. */
static void rejects_counts(void **state)
{
	static const uint64_t counts[] = {5, 1000, UINT32_MAX, UINT64_MAX / 8 + 2, UINT64_MAX};
	struct sample_record sample;
	struct test_record record;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		begin_stack(&record, counts[i]);
		test_record_end(&record);
		assert_int_equal(sample_record_decode(record.bytes, record.len, STACKED, &sample),
				 -EBADMSG);
	}
}

static void decodes_raw_data(void **state)
{
	struct sample_record sample;
	struct test_record record;

	test_sample_begin(&record, 42, 0x401136, 100, 5);
	test_record_u32(&record, 12);
	test_record_put(&record, "hello, world", 12);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, RAW, &sample), 0);
	assert_int_equal(sample.raw_bytes, 12);
	assert_memory_equal(sample.raw, "hello, world", 12);
	test_sample_begin(&record, 42, 0x401136, 100, 5);
	test_record_u32(&record, UINT32_MAX);
	test_record_put(&record, "hello, world", 12);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, RAW, &sample), -EBADMSG);
}

static void decodes_registers_and_a_stack(void **state)
{
	const uint64_t type = SAMPLE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	const int count = __builtin_popcountll(PERF_ARGS_REGISTERS);
	struct sample_record sample;
	struct test_record record;
	void *copy;

	test_sample_begin(&record, 42, 0x401136, 100, 5);
	test_record_u64(&record, PERF_SAMPLE_REGS_ABI_64);
	for (int i = 0; i < count; i++)
		test_record_u64(&record, (uint64_t)i);
	test_record_u64(&record, 16);
	test_record_put(&record, "0123456789abcdef", 16);
	test_record_u64(&record, 12);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, type, &sample), 0);
	assert_int_equal(sample.registers.count, count);
	assert_int_equal(sample.registers.stack_bytes, 12);
	assert_memory_equal(sample.registers.stack, "0123456789ab", 12);
	for (size_t len = 0; len < record.len; len++) {
		assert_int_equal(decode_copy(record.bytes, len, type, &sample, &copy), -EBADMSG);
		free(copy);
	}
	/* More of the stack than was copied. */
	record.bytes[record.len - 8] = 17;
	assert_int_equal(sample_record_decode(record.bytes, record.len, type, &sample), -EBADMSG);
	/* A thread of the kernel has neither. */
	test_sample_begin(&record, 42, 0x401136, 0, 5);
	test_record_u64(&record, PERF_SAMPLE_REGS_ABI_NONE);
	test_record_u64(&record, 0);
	test_record_end(&record);
	assert_int_equal(sample_record_decode(record.bytes, record.len, type, &sample), 0);
	assert_int_equal(sample.registers.count, 0);
	assert_null(sample.registers.stack);
}

static void rejects_samples_that_are_cut(void **state)
{
	struct sample_record sample;
	struct test_record record;
	void *copy;

	begin_stack(&record, 4);
	test_record_end(&record);
	for (size_t len = 0; len <= record.len; len++) {
		assert_int_equal(decode_copy(record.bytes, len, STACKED, &sample, &copy),
				 len < record.len ? -EBADMSG : 0);
		free(copy);
	}
	/* Another kind of record. */
	record.bytes[0] = PERF_RECORD_LOST;
	assert_int_equal(sample_record_decode(record.bytes, record.len, STACKED, &sample),
			 -EBADMSG);
}

static void decodes_mappings(void **state)
{
	struct sample_mapping mapping;
	struct test_record record;
	struct sample_head head;
	void *copy;

	test_mapping(&record, 100, 77, "/usr/bin/x");
	assert_int_equal(sample_mapping_decode(record.bytes, record.len, &mapping), 0);
	assert_int_equal(mapping.pid, 100);
	assert_int_equal(mapping.begin, 0x400000);
	assert_int_equal(mapping.bytes, 0x2000);
	assert_int_equal(mapping.offset, 0x1000);
	assert_int_equal(mapping.major, 8);
	assert_int_equal(mapping.minor, 1);
	assert_int_equal(mapping.ino, 4711);
	assert_string_equal(mapping.path, "/usr/bin/x");
	assert_true(sample_head_read(record.bytes, record.len, &head));
	assert_int_equal(head.time_ns, 77);
	for (size_t len = 0; len < record.len; len++) {
		copy = malloc(len ? len : 1);
		assert_non_null(copy);
		memcpy(copy, record.bytes, len);
		if (sample_mapping_decode(copy, len, &mapping) == 0)
			assert_true(strlen(mapping.path) < len);
		free(copy);
	}
	/* Over the end of memory. */
	memset(record.bytes + 16, 0xff, 8);
	assert_int_equal(sample_mapping_decode(record.bytes, record.len, &mapping), -EBADMSG);
	/* A build id is where the numbers of the file are otherwise. */
	record.bytes[5] = PERF_RECORD_MISC_MMAP_BUILD_ID >> 8;
	assert_int_equal(sample_mapping_decode(record.bytes, record.len, &mapping), -ENODATA);
}

static void decodes_tasks(void **state)
{
	struct test_record record;
	struct sample_task task;
	int32_t pid = 0;

	test_record_begin(&record, PERF_RECORD_FORK, 0);
	for (uint32_t number = 5; number < 9; number++)
		test_record_u32(&record, number);
	test_record_u64(&record, 1000);
	test_record_tail(&record, 5, 1000);
	assert_int_equal(sample_task_decode(record.bytes, record.len, &task), 0);
	assert_int_equal(task.pid, 5);
	assert_int_equal(task.parent, 6);
	assert_int_equal(task.tid, 7);
	assert_int_equal(sample_task_decode(record.bytes, 31, &task), -EBADMSG);

	test_record_begin(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	test_record_u32(&record, 5);
	test_record_u32(&record, 6);
	test_record_put(&record, "sh", 3);
	test_record_tail(&record, 5, 1000);
	assert_true(sample_is_exec(record.bytes, record.len, &pid));
	assert_int_equal(pid, 5);
	assert_false(sample_is_exec(record.bytes, 15, &pid));
	record.bytes[5] = 0;
	assert_false(sample_is_exec(record.bytes, record.len, &pid));
}

static void reads_losses(void **state)
{
	struct test_record record;
	struct sample_head head;
	uint64_t id = 0;

	test_record_begin(&record, PERF_RECORD_LOST, 0);
	test_record_u64(&record, 1);
	test_record_u64(&record, 345);
	test_record_tail(&record, 5, 1000);
	assert_int_equal(sample_lost(record.bytes, record.len, &id), 345);
	assert_int_equal(id, 1);
	assert_int_equal(sample_lost(record.bytes, 23, &id), 0);
	assert_false(sample_head_read(record.bytes, 39, &head));
	assert_false(sample_head_read(record.bytes, 7, &head));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(decodes_what_each_sample_has),
	cmocka_unit_test(decodes_frames),
	cmocka_unit_test(rejects_counts),
	cmocka_unit_test(decodes_raw_data),
	cmocka_unit_test(decodes_registers_and_a_stack),
	cmocka_unit_test(rejects_samples_that_are_cut),
	cmocka_unit_test(decodes_mappings),
	cmocka_unit_test(decodes_tasks),
	cmocka_unit_test(reads_losses),
};

UNIT_GROUP(tests);
