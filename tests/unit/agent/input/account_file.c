/* SPDX-License-Identifier: MIT */
/* The account of a capture file, of counters made by hand. */
#include "agent/input/input.h"
#include "scap/file/reader.h"
#include "unit.h"

static void expect_counters(struct scap_reader_stats stats, const char *expected)
{
	struct buf text = {0};

	account_file_append_counters(&stats, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_finish(&text);
}

static void test_percent(void **state)
{
	expect_counters((struct scap_reader_stats){.events = 3, .bytes_read = 50, .bytes = 200},
			"read 3 events of 50 bytes (25%)");
	/* Of a pipe nobody knows. */
	expect_counters((struct scap_reader_stats){.events = 3, .bytes_read = 50},
			"read 3 events of 50 bytes");
	/* A file that grows meanwhile. */
	expect_counters((struct scap_reader_stats){.bytes_read = 300, .bytes = 200},
			"read 0 events of 300 bytes (100%)");
	assert_int_equal(account_file_percent(&(struct scap_reader_stats){0}), -1);
}

static void test_report(void **state)
{
	const struct scap_reader_stats stats = {
		.events = 9, .bytes_read = 90, .corrupt_events = 1, .unknown_blocks = 2};
	const struct account account = {.matched = 7,
					.printed = 6,
					.state = {.corrupt = 3,
						  .descriptions_corrupt = 4,
						  .descriptions_ignored = 5,
						  .descriptions_dropped = 6,
						  .descriptions_too_long = 7}};
	struct buf text = {0};

	account_file_append(&stats, &account, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "agent: read 9 events of 90 bytes; matched 7, printed 6\n"
			    "agent: 4 corrupt events skipped\n"
			    "agent: 2 blocks skipped whose kind this version does not know\n"
			    "agent: 4 corrupt descriptions of containers skipped\n"
			    "agent: 5 values in descriptions of containers ignored: of a wrong "
			    "type, or too many\n"
			    "agent: 6 descriptions of containers dropped: too many without a "
			    "process\n"
			    "agent: 7 descriptions of containers not written: longer than readers "
			    "accept\n");
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_percent),
	cmocka_unit_test(test_report),
};

UNIT_GROUP(tests);
