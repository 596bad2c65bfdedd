/* SPDX-License-Identifier: MIT */
/* Options about what is printed. */
#include "parsed.h"
#include "unit.h"

static void test_what_is_printed(void **state)
{
	static const struct {
		const char *line;
		enum text_time time;
		enum text_bytes bytes;
		enum agent_color color;
	} rows[] = {
		{"", TEXT_TIME_OF_DAY, TEXT_BYTES_DOTS, COLOR_AUTO},
		{"-th -A --color auto", TEXT_TIME_OF_DAY, TEXT_BYTES_ASCII, COLOR_AUTO},
		{"-t a -b --color=always", TEXT_TIME_EPOCH, TEXT_BYTES_BASE64, COLOR_ALWAYS},
		{"-tr -x --color never", TEXT_TIME_RELATIVE, TEXT_BYTES_HEX, COLOR_NEVER},
		{"-t d -X", TEXT_TIME_LATENCY, TEXT_BYTES_HEX_ASCII, COLOR_AUTO},
		{"-tD -X -A", TEXT_TIME_DELTA, TEXT_BYTES_ASCII, COLOR_AUTO},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse_right(rows[i].line, &options);
		assert_int_equal(options.style.time, rows[i].time);
		assert_int_equal(options.style.bytes, rows[i].bytes);
		assert_int_equal(options.color, rows[i].color);
		assert_null(options.print);
		options_finish(&options);
	}
	parse_right("-R", &options);
	assert_true(options.port_names);
	options_finish(&options);
	parse_right("-pc", &options);
	assert_false(options.port_names);
	assert_string_equal(options.print, "c");
	options_finish(&options);
	parse_right("-p %evt.num -n 1", &options);
	assert_string_equal(options.print, "%evt.num");
	options_finish(&options);
}

static void test_formats(void **state)
{
	static const struct {
		const char *line;
		const struct output_format *format;
	} cases[] = {
		{"-n 1", NULL},
		{"-o json", &format_json},
		{"-o text", &format_text},
		{"-o none", &format_none},
		{"-j", &format_json},
		{"--json", &format_json},
		{"-o json -o text", &format_text},
		{"fields -o markdown", &format_markdown},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_ptr_equal(options.format, cases[i].format);
		options_finish(&options);
	}
}

static void test_wide(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_false(options.wide);
	options_finish(&options);
	parse_right("--wide", &options);
	assert_true(options.wide);
	options_finish(&options);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"-t h2", "-t: expected h, a, r, d or D, not 'h2' (did you mean 'h'?)"},
		{"-o xml", "-o: expected json, text, none, protobuf, markdown or csv, not 'xml'"},
		{"-o jsno", "-o: expected json, text, none, protobuf, markdown or csv, not 'jsno' "
			    "(did you mean 'json'?)"},
		{"-o out",
		 "-o: expected json, text, none, protobuf, markdown or csv, not 'out'; a file: "
		 "-w FILE (capture), --output file:FILE,format=text (lines)"},
		{"-o jsno",
		 "-o: expected json, text, none, protobuf, markdown or csv, not 'jsno' (did you mean "
		 "'json'?)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_is_printed),
	cmocka_unit_test(test_formats),
	cmocka_unit_test(test_wide),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
