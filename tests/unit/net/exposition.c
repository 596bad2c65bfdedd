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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_plain),
	cmocka_unit_test(test_openmetrics),
};

UNIT_GROUP(tests);
