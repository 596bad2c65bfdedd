/* SPDX-License-Identifier: MIT */
/* The counters of a reader as metrics. */
#include "agent/input/metrics.h"

#include "scap/file/reader.h"
#include "unit.h"

static void test_counters(void **state)
{
	const struct scap_reader_stats stats = {.events = 7, .corrupt_events = 1, .bytes = 900};
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	metrics_file_append(&stats, &exposition);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\nlanner_file_events_read_total 7\n"));
	assert_non_null(strstr(out.data, "\nlanner_file_events_corrupt_total 1\n"));
	assert_non_null(strstr(out.data, "\nlanner_file_events_unknown_total 0\n"));
	assert_non_null(strstr(out.data, "\nlanner_file_size_bytes 900\n"));
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_counters)};

UNIT_GROUP(tests);
