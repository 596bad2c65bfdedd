/* SPDX-License-Identifier: MIT */
/* Blocks that are read in parts: long ones, and lists whose lengths are wrong. */
#include <errno.h>

#include "snapshot.h"
#include "unit.h"

/* A list of more bytes than fit into memory at a time. */
static void test_long_list(void **state)
{
	capture_threads_v1(&capture, 5 << 20);
	capture_close_event(&capture, 0x216, 0, 5);
	assert_int_equal(capture_read(capture.bytes.data, capture.bytes.len, &transcript).events,
			 1);
	assert_true(transcript.threads > 50000);
}

/* An entry that goes beyond its list ends it, and the next block is read. */
static void test_entry_beyond_its_list(void **state)
{
	capture_block_begin(&capture, 0x220);
	capture_u32(&capture, 1000);
	capture_u64(&capture, 0);
	capture_block_end(&capture);
	capture_block_begin(&capture, 0x206);
	capture_u8(&capture, 1);
	capture_u32(&capture, 100);
	capture_u16(&capture, 500);
	capture_block_end(&capture);
	put_group();
	assert_int_equal(expect_snapshot(GROUP_LINE).stats.corrupt_lists, 2);
}

/* An entry that says it is longer or shorter than what it holds. */
static void test_entry_of_wrong_length(void **state)
{
	for (uint32_t len = 0; len < 12; len++) {
		snapshot_setup(state);
		capture_block_begin(&capture, 0x220);
		capture_u32(&capture, len);
		capture_u8(&capture, 1);
		capture_u32(&capture, 100);
		capture_string(&capture, "x"); /* 12 bytes */
		capture_block_end(&capture);
		assert_int_equal(expect_snapshot("").stats.corrupt_lists, 1);
		snapshot_teardown(state);
	}
}

static void test_short_machine(void **state)
{
	capture_block_begin(&capture, 0x201);
	capture_u64(&capture, 0);
	capture_block_end(&capture);
	assert_int_equal(expect_snapshot("").stats.corrupt_lists, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_long_list),
	TEST(test_entry_beyond_its_list),
	TEST(test_entry_of_wrong_length),
	TEST(test_short_machine),
};

UNIT_GROUP(tests);
