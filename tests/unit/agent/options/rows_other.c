/* SPDX-License-Identifier: MIT */
/* Options about what is said, and what is done instead of a capture. */
#include "parsed.h"
#include "unit.h"

static void test_values(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_false(options.verbose || options.explain);
	assert_int_equal(options.stats_ns, 0);
	options_finish(&options);
	parse_right("-v --explain --stats 0.5", &options);
	assert_true(options.verbose && options.explain);
	assert_int_equal(options.stats_ns, 500000000);
	options_finish(&options);
	parse_right("--stats 0.1", &options);
	assert_int_equal(options.stats_ns, 100000000);
	options_finish(&options);
	parse_right("--http :1 --http unix:a", &options);
	assert_string_equal(options.http[0], ":1");
	assert_string_equal(options.http[1], "unix:a");
	assert_null(options.http[2]);
	assert_false(options.request_metrics);
	assert_false(options.unknown_protocols);
	options_finish(&options);
	parse_right("--unknown-protocols", &options);
	assert_true(options.unknown_protocols);
	options_finish(&options);
	parse_right(
		"--http :1 --request-metrics --metrics-series 1000000 --metrics-schema kindling",
		&options);
	assert_true(options.request_metrics);
	assert_int_equal(options.metrics_schema, KINDS_KINDLING);
	assert_int_equal(options.metrics_series, 1000000);
	assert_false(options.tcp_metrics);
	options_finish(&options);
	parse_right("--http :1 --tcp-metrics --metrics-series 5", &options);
	assert_true(options.tcp_metrics);
	assert_int_equal(options.tcp_sample_ns, 0);
	assert_false(options.request_metrics);
	options_finish(&options);
}

static void test_samples(void **state)
{
	struct options options;

	parse_right("--tcp-sample 1.5", &options);
	assert_int_equal(options.tcp_sample_ns, 1500000000);
	options_finish(&options);
	expect_rejected("--tcp-sample 0.9", "--tcp-sample: expected a number of 1 or more, or a "
					    "time such as 30s or 5m, not '0.9'");
}

static void test_rejected(void **state)
{
	expect_rejected(
		"--stats 0",
		"--stats: expected a number of 0.1 or more, or a time such as 30s or 5m, not '0'");
	expect_rejected(
		"--stats x",
		"--stats: expected a number of 0.1 or more, or a time such as 30s or 5m, not 'x'");
	expect_rejected("--stats 1e-9", "--stats: expected a number of 0.1 or more, or a time such "
					"as 30s or 5m, not '1e-9'");
	expect_rejected("--stats 0.09", "--stats: expected a number of 0.1 or more, or a time such "
					"as 30s or 5m, not '0.09'");
	expect_rejected("--http :1 --http :2 --http :3 --http :4 --http :5",
			"--http: expected 127.0.0.1:9100, [::1]:9100, :9100 (all addresses) or "
			"unix:PATH; up to 4 of them, not ':5'");
	expect_rejected("--request-metrics",
			"--request-metrics goes with --http or --output otlp-metrics:");
	expect_rejected("--tcp-metrics",
			"--tcp-metrics goes with --http or --output otlp-metrics:");
	expect_rejected("--http :1 --metrics-series 5",
			"--metrics-series goes with --request-metrics, --tcp-metrics or "
			"--container-counters");
	expect_rejected("--http :1 --request-metrics --metrics-schema x",
			"--metrics-schema: expected otel or kindling, not 'x'");
	expect_rejected("--http :1 --request-metrics --metrics-series 0",
			"--metrics-series: expected a number from 1 to 1000000, not '0'");
	expect_rejected("--help=some", "--help: expected all, not 'some'");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_samples),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
