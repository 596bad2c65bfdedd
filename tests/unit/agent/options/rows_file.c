/* SPDX-License-Identifier: MIT */
/* Options about capture files that are read and written. */
#include <string.h>

#include "parsed.h"
#include "unit.h"

static void test_capture_files(void **state)
{
	static const char *const lines[] = {
		"-r in -w out -z -C 5 -G 1.5 -e 7 -W 3 -F --strict -P --container-env "
		"--scap-compat "
		"2022",
		"--read in --write out --compress --file-size 5 --seconds 1.5 -e 7 --limit 3 "
		"--fatfile --strict --progress --container-env --scap-compat=2022",
	};
	struct options options;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse_right(lines[i], &options);
		assert_string_equal(options.read, "in");
		assert_string_equal(options.write, "out");
		assert_int_equal(options.writer.compression, SCAP_GZIP);
		assert_true(options.writer.form_2022 && !options.writer.native);
		assert_int_equal(options.limits.bytes, 5000000);
		assert_int_equal(options.limits.ns, 1500000000);
		assert_int_equal(options.limits.events, 7);
		assert_int_equal(options.limits.files, 3);
		assert_true(options.fat && options.strict && options.progress &&
			    options.container_env);
		options_finish(&options);
	}
	parse_right("-w out --zstd --native", &options);
	assert_int_equal(options.writer.compression, SCAP_ZSTD);
	assert_true(options.writer.native && !options.fat && !options.container_env);
	assert_null(options.read);
	options_finish(&options);
}

/* The unit says whether it is a time or a size. */
static void test_flight_recorder(void **state)
{
	static const struct {
		const char *line;
		uint64_t ns, bytes;
	} cases[] = {
		{"-w a --flight-recorder 30s", UINT64_C(30000000000), 0},
		{"-w a --flight-recorder 1.5", UINT64_C(1500000000), 0},
		{"-w a --flight-recorder 5m", UINT64_C(300000000000), 0},
		{"-w a --flight-recorder 5M", 0, 5 << 20},
		{"-w a --flight-recorder 2M", 0, 2 << 20},
		{"-w a --flight-recorder 1G --on-crash", 0, 1 << 30},
		{"-w a --flight-recorder 1G --flight-recorder 30s", UINT64_C(30000000000), 0},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_int_equal(options.flight_ns, cases[i].ns);
		assert_int_equal(options.flight_bytes, cases[i].bytes);
		assert_true(options_record_flight(&options));
		assert_int_equal(options.flight_on_crash, strstr(cases[i].line, "crash") != NULL);
		options_finish(&options);
	}
	parse_right("-w a", &options);
	assert_false(options_record_flight(&options));
	options_finish(&options);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"-W 0 -e 5 -w a", "-W: expected a number from 1 to 1000000, not '0'"},
		{"-W 1000001 -e 5 -w a", NULL},
		{"-C 0 -w a", "-C: expected a number of megabytes of 1 or more, or a size such as "
			      "100M or 1G, not '0'"},
		{"-C 18446744073709551615 -w a", NULL},
		{"-e 0 -w a", NULL},
		{"-G 0 -w a", NULL},
		{"--flight-recorder 1M -w a",
		 "--flight-recorder: expected a time such as 30s or 5m, or a size from 2M to 64G "
		 "such as 64M, not '1M'"},
		{"--flight-recorder 0 -w a", NULL},
		{"--flight-recorder M -w a", NULL},
		{"--flight-recorder 65G -w a", NULL},
		{"--flight-recorder 30s", "--flight-recorder goes with -w"},
		{"--flight-recorder 30s -r a -w b", NULL},
		{"--flight-recorder 30s -w a -e 5",
		 "--flight-recorder: each time another file is written; not with -C, -G or -e"},
		{"--flight-recorder 30s -w -", NULL},
		{"--flight-recorder 30s -w a --rules b", NULL},
		{"--flight-recorder 30s -w a --output file:b", NULL},
		{"--flight-recorder 30s -w a --http :80 --request-metrics", NULL},
		{"--flight-recorder 30s -w a --pid-file b --take-over", NULL},
		{"--on-crash -w a", "--on-crash goes with --flight-recorder"},
		{"--scap-compat 2015 -w a", "--scap-compat: expected 2022, not '2015'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_capture_files),
	cmocka_unit_test(test_flight_recorder),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
