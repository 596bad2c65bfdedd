/* SPDX-License-Identifier: MIT */
/* Sections of a capture file: several, ours, and those with options. */
#include <errno.h>
#include <string.h>

#include "snapshot.h"
#include "unit.h"

/* Each section begins with its own machine. */
static void test_sections(void **state)
{
	struct capture_result result;

	for (int i = 0; i < 3; i++) {
		if (i)
			capture_section(&capture);
		capture_block_begin(&capture, 0x218);
		capture_u64(&capture, 70 + (unsigned int)i);
		capture_block_end(&capture);
		if (i != 1)
			capture_close_event(&capture, 0x216, 0, 1);
	}
	result = capture_read(capture.bytes.data, capture.bytes.len, &transcript);
	assert_int_equal(result.events, 2);
	assert_int_equal(result.code, -ENODATA);
	assert_string_equal(transcript_text(&transcript),
			    "begin\nfds 70\nend\nbegin\nfds 71\nend\nbegin\nfds 72\nend\n");
}

static void put_native(uint32_t version)
{
	capture_block_begin(&capture, 0x80004c4e);
	capture_u32(&capture, version);
	capture_block_end(&capture);
}

static void test_native(void **state)
{
	struct capture_result result;

	assert_false(capture_read(capture.bytes.data, capture.bytes.len, NULL).native);
	put_native(1);
	capture_close_event(&capture, 0x216, 0, 1);
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	assert_true(result.native);
	assert_int_equal(result.events, 1);
	assert_int_equal(result.stats.unknown_blocks, 0);
	snapshot_setup(state);
	put_native(2);
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	assert_int_equal(result.start_code, -ENOTSUP);
	assert_non_null(strstr(result.text, "of a newer version of this program"));
}

/* Options of pcapng, which others may add. */
static void test_section_with_options(void **state)
{
	uint32_t len;

	capture.bytes.len -= 4;
	capture_string(&capture, "written by somebody");
	capture_block_end(&capture);
	memcpy(&len, capture.bytes.data + 4, sizeof(len));
	assert_true(len > 28);
	capture_close_event(&capture, 0x216, 0, 1);
	assert_int_equal(capture_read(capture.bytes.data, capture.bytes.len, NULL).events, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_sections),
	TEST(test_native),
	TEST(test_section_with_options),
};

UNIT_GROUP(tests);
