/* SPDX-License-Identifier: MIT */
/* Options about capture files that are read and written. */
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
		{"--scap-compat 2015 -w a", "--scap-compat: expected 2022, not '2015'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_capture_files),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
