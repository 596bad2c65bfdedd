/* SPDX-License-Identifier: MIT */
/* How a reader ends: who listens fails, the file is truncated, or lengths differ. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "snapshot.h"
#include "unit.h"

/* Who listens can end it. */
static void test_listener_fails(void **state)
{
	struct capture_result result;

	put_group();
	capture_close_event(&capture, 0x216, 0, 5);
	transcript.answer = -ENOSPC;
	result = capture_read(capture.bytes.data, capture.bytes.len, &transcript);
	assert_int_equal(result.start_code, -ENOSPC);
	assert_int_equal(result.code, -ENOSPC);
	assert_non_null(strstr(result.text, "No space left"));
}

/* Where it is truncated: with how many bytes less than a whole event, or a whole list. */
static void test_breaks_off(void **state)
{
	size_t group, event;
	char text[128];

	group = capture.bytes.len;
	put_group();
	event = capture.bytes.len;
	capture_close_event(&capture, 0x216, 0, 5);
	for (size_t n = group + 1; n < capture.bytes.len; n++) {
		struct capture_result result = capture_read(capture.bytes.data, n, NULL);

		if (n == event) { /* between two blocks nothing is missing */
			assert_int_equal(result.code, -ENODATA);
			continue;
		}
		snprintf(text, sizeof(text),
			 "it is truncated at byte %zu, in the block that begins at byte %zu", n,
			 n < event ? group : event);
		assert_int_equal(result.code, -EPIPE);
		assert_non_null(strstr(result.text, text));
	}
}

/* A block whose two lengths differ ends the file, at the byte where it begins. */
static void test_lengths_differ(void **state)
{
	struct capture_result result;
	char text[128];

	capture_block_begin(&capture, 0x999);
	capture_u64(&capture, 0);
	capture_block_end(&capture);
	snprintf(text, sizeof(text),
		 "the block that begins at byte %zu is corrupt: its length is 20 at its beginning "
		 "and 21 at its end",
		 capture.bytes.len - 20);
	capture.bytes.data[capture.bytes.len - 4]++;
	capture_close_event(&capture, 0x216, 0, 5);
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	assert_int_equal(result.code, -EBADMSG);
	assert_int_equal(result.events, 0);
	assert_non_null(strstr(result.text, text));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_listener_fails),
	TEST(test_breaks_off),
	TEST(test_lengths_differ),
};

UNIT_GROUP(tests);
