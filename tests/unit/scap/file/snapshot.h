/* SPDX-License-Identifier: MIT */
/* A capture put together by a test, and the snapshot that its reader reports; each test has its
 * own. */
#ifndef TESTS_SNAPSHOT_H
#define TESTS_SNAPSHOT_H

#include <errno.h>
#include <stdio.h>

#include "capture.h"
#include "unit.h"

static struct capture capture;
static struct transcript transcript;

static inline int snapshot_setup(void **state)
{
	buf_clear(&capture.bytes);
	capture_section(&capture);
	transcript = (struct transcript){.snapshot.ops = &transcript_ops};
	return 0;
}

static inline int snapshot_teardown(void **state)
{
	buf_finish(&transcript.text);
	return 0;
}

/* Reads what was put together, whose snapshot is `lines` between its beginning and its end. */
static inline struct capture_result expect_snapshot(const char *lines)
{
	struct capture_result result;
	char text[8192];

	capture_close_event(&capture, 0x216, 0, 5);
	result = capture_read(capture.bytes.data, capture.bytes.len, &transcript);
	snprintf(text, sizeof(text), "begin\n%send\n", lines);
	assert_string_equal(transcript_text(&transcript), text);
	assert_int_equal(result.open_code, 0);
	assert_int_equal(result.start_code, 0);
	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.events, 1);
	return result;
}

static inline void expect_whole(const char *lines)
{
	struct capture_result result = expect_snapshot(lines);

	assert_int_equal(result.stats.corrupt_lists, 0);
	assert_int_equal(result.stats.unknown_blocks, 0);
}

/* A whole list of one group, and its line. */
#define GROUP_LINE "group 100 users\n"

static inline void put_group(void)
{
	capture_block_begin(&capture, 0x206);
	capture_u8(&capture, 1);
	capture_u32(&capture, 100);
	capture_string(&capture, "users");
	capture_block_end(&capture);
}

#endif
