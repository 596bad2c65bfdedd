/* SPDX-License-Identifier: MIT */
/* A capture put together by a test, and what is told when it is read; each test has its own. */
#ifndef TESTS_TOLD_H
#define TESTS_TOLD_H

#include <errno.h>
#include <stdio.h>

#include "capture.h"

static struct capture capture;
static struct transcript transcript;

static inline int told_setup(void **state)
{
	buf_clear(&capture.bytes);
	capture_section(&capture);
	transcript = (struct transcript){.snapshot.ops = &transcript_ops};
	return 0;
}

static inline int told_teardown(void **state)
{
	buf_finish(&transcript.text);
	return 0;
}

/* Reads what was put together, which tells this between its beginning and its end. */
static inline struct capture_result expect_told(const char *told)
{
	struct capture_result result;
	char text[8192];

	capture_close_event(&capture, 0x216, 0, 5);
	result = capture_read(capture.bytes.data, capture.bytes.len, &transcript);
	snprintf(text, sizeof(text), "begin\n%send\n", told);
	assert_string_equal(transcript_text(&transcript), text);
	assert_int_equal(result.open_code, 0);
	assert_int_equal(result.start_code, 0);
	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.events, 1);
	return result;
}

static inline void expect_whole(const char *told)
{
	struct capture_result result = expect_told(told);

	assert_int_equal(result.stats.damaged_lists, 0);
	assert_int_equal(result.stats.unknown_blocks, 0);
}

/* A list that is whole, with one group in it. */
#define TOLD_GROUP "group 100 users\n"

static inline void told_put_group(void)
{
	capture_begin(&capture, 0x206);
	capture_u8(&capture, 1);
	capture_u32(&capture, 100);
	capture_string(&capture, "users");
	capture_end(&capture);
}

#endif
