/* SPDX-License-Identifier: MIT */
/* Families and samples in both formats, with what must be escaped. */
#include "net/exposition.h"
#include "unit.h"

static const struct exposition_family counter = {"a_sent_bytes", METRIC_COUNTER, "bytes",
						 "What is \"sent\" \\ lost.\nAll of it."};
static const struct exposition_family gauge = {"a_depth", METRIC_GAUGE, NULL, "Depth."};
static const struct exposition_family info = {"a_build", METRIC_INFO, NULL, "Build."};

static void check(bool openmetrics, const char *expected)
{
	const struct exposition_label labels[] = {{"to", "a\"b\\c\nd"}, {"cause", "x"}, {0}};
	const struct exposition_label version[] = {{"version", "1"}, {0}};
	struct buf out = {0};
	struct exposition exposition = {.out = &out, .openmetrics = openmetrics};

	exposition_begin(&exposition, &counter);
	exposition_sample(&exposition, labels, 18446744073709551615ULL);
	exposition_sample(&exposition, NULL, 0);
	exposition_begin(&exposition, &gauge);
	exposition_sample_real(&exposition, NULL, 0.25);
	exposition_begin(&exposition, &info);
	exposition_sample(&exposition, version, 1);
	exposition_end(&exposition);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void test_plain(void **state)
{
	check(false, "# HELP a_sent_bytes_total What is \"sent\" \\\\ lost.\\nAll of it.\n"
		     "# TYPE a_sent_bytes_total counter\n"
		     "a_sent_bytes_total{to=\"a\\\"b\\\\c\\nd\",cause=\"x\"} 18446744073709551615\n"
		     "a_sent_bytes_total 0\n"
		     "# HELP a_depth Depth.\n"
		     "# TYPE a_depth gauge\n"
		     "a_depth 0.25\n"
		     "# HELP a_build_info Build.\n"
		     "# TYPE a_build_info gauge\n"
		     "a_build_info{version=\"1\"} 1\n");
}

static void test_openmetrics(void **state)
{
	check(true, "# HELP a_sent_bytes What is \\\"sent\\\" \\\\ lost.\\nAll of it.\n"
		    "# TYPE a_sent_bytes counter\n"
		    "# UNIT a_sent_bytes bytes\n"
		    "a_sent_bytes_total{to=\"a\\\"b\\\\c\\nd\",cause=\"x\"} 18446744073709551615\n"
		    "a_sent_bytes_total 0\n"
		    "# HELP a_depth Depth.\n"
		    "# TYPE a_depth gauge\n"
		    "a_depth 0.25\n"
		    "# HELP a_build Build.\n"
		    "# TYPE a_build info\n"
		    "a_build_info{version=\"1\"} 1\n"
		    "# EOF\n");
}

static const char *bound(const void *context, uint32_t i)
{
	return ((const char *const *)context)[i];
}

/* Buckets have what is in those below them, too; OpenMetrics has an exemplar in one. */
static void check_histogram(bool openmetrics, const struct exposition_label *labels,
			    const char *expected)
{
	static const struct exposition_family family = {"a_time_seconds", METRIC_HISTOGRAM,
							"seconds", "Time."};
	static const char *const bounds[] = {"0.5", "10"};
	static const uint64_t counts[] = {2, 0, 1};
	const struct exposition_exemplar exemplar = {"4bf9\"", 0.25, 1795260961123456789};
	const struct exposition_histogram histogram = {.counts = counts,
						       .bound = bound,
						       .context = bounds,
						       .bounds = 2,
						       .sum = 20.5,
						       .exemplar = &exemplar,
						       .exemplar_bucket = 0};
	struct buf out = {0};
	struct exposition exposition = {.out = &out, .openmetrics = openmetrics};

	exposition_begin(&exposition, &family);
	exposition_histogram(&exposition, labels, &histogram);
	exposition_end(&exposition);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void test_histograms(void **state)
{
	const struct exposition_label labels[] = {{"to", "a\"b"}, {"cause", "x"}, {0}};

	check_histogram(false, labels,
			"# HELP a_time_seconds Time.\n"
			"# TYPE a_time_seconds histogram\n"
			"a_time_seconds_bucket{to=\"a\\\"b\",cause=\"x\",le=\"0.5\"} 2\n"
			"a_time_seconds_bucket{to=\"a\\\"b\",cause=\"x\",le=\"10\"} 2\n"
			"a_time_seconds_bucket{to=\"a\\\"b\",cause=\"x\",le=\"+Inf\"} 3\n"
			"a_time_seconds_sum{to=\"a\\\"b\",cause=\"x\"} 20.5\n"
			"a_time_seconds_count{to=\"a\\\"b\",cause=\"x\"} 3\n");
	check_histogram(true, NULL,
			"# HELP a_time_seconds Time.\n"
			"# TYPE a_time_seconds histogram\n"
			"# UNIT a_time_seconds seconds\n"
			"a_time_seconds_bucket{le=\"0.5\"} 2 "
			"# {trace_id=\"4bf9\\\"\"} 0.25 1795260961.123\n"
			"a_time_seconds_bucket{le=\"10.0\"} 2\n"
			"a_time_seconds_bucket{le=\"+Inf\"} 3\n"
			"a_time_seconds_sum 20.5\n"
			"a_time_seconds_count 3\n"
			"# EOF\n");
}

#define STRUCT struct counters
struct counters {
	uint64_t sent, waiting;
};

/* The samples of a struct are those of the members that the rows name. */
static void test_members(void **state)
{
	static const struct exposition_member rows[] = {
		METRIC("waiting_bytes", METRIC_GAUGE, "bytes", waiting, "Waits."),
		METRIC("sent", METRIC_COUNTER, NULL, sent, "Went."),
	};
	const struct counters counters = {.sent = 7, .waiting = 3};
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	exposition_add_members(&exposition, rows, 2, &counters);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "# HELP lanner_waiting_bytes Waits.\n"
				      "# TYPE lanner_waiting_bytes gauge\n"
				      "lanner_waiting_bytes 3\n"
				      "# HELP lanner_sent_total Went.\n"
				      "# TYPE lanner_sent_total counter\n"
				      "lanner_sent_total 7\n");
	buf_finish(&out);
}
#undef STRUCT

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_members),
	cmocka_unit_test(test_histograms),
	cmocka_unit_test(test_plain),
	cmocka_unit_test(test_openmetrics),
};

UNIT_GROUP(tests);
