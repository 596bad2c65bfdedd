/* SPDX-License-Identifier: MIT */
/* Which options go together, and which a subcommand takes. */
#include "parsed.h"
#include "unit.h"

/* What is recorded is not printed as well, unless an option says what to print. */
static void test_recording_prints_on_request(void **state)
{
	static const struct {
		const char *line;
		const struct output_format *format;
	} cases[] = {
		{"-w out", &format_none},
		{"-w out -n 3 -v --stats 5 evt.num=1", &format_none},
		{"-w out -o json", &format_json},
		{"-w out -p %evt.num", NULL},
		{"-w out --json-fields all", NULL},
		{"-w out -A", NULL},
		{"-w out -ta", NULL},
		{"-w out --rules r", NULL},
		{"-w out --rules r -o none", &format_none},
		{"-r in", NULL},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_ptr_equal(options.format, cases[i].format);
		options_finish(&options);
	}
}

/* Each takes some options. */
static void test_subcommands(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"help --self", "help does not take --self"},
		{"--filter a check-filter b", "check-filter does not take --filter"},
		{"check-filter -n 5 --exact-types", "check-filter does not take -n"},
		{"events --exact-types", "events does not take --exact-types"},
		{"check-filter -o json", "check-filter does not take -o"},
		{"-L -n 5", "events does not take -n"},
		{"fields -r a", "fields does not take -r"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static void test_contradictions(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"-o markdown evt.num=1",
		 "-o markdown: for lists (agent fields, agent events), not for "
		 "events"},
		{"-w a -z --zstd", "-z and --zstd: one of them"},
		{"-w a --native --scap-compat 2022", "--native is for Lanner alone, --scap-compat "
						     "for others: one of them"},
		{"-w - -e 5", "-w -: standard output is one file; -C, -G and -e need a name"},
		{"-w - -o json", "-w - takes standard output: nothing can be printed there (-o "
				 "none)"},
		{"-w - --rules r", NULL},
		{"-r a -- ls", "-- ls: a command cannot be started with -r: events come from the "
			       "file"},
		{"--explain -- ls", "-- ls: --explain starts no command"},
		{"--output stdout: --output stdout:,format=text", "--output stdout: given twice"},
		{"--output file:/a,keep=1 --output file:/b --output file:/a,keep=2",
		 "--output file:/a: given twice"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

/* About something that is not there. */
static void test_takeover(void **state)
{
	struct options options;

	expect_rejected("--take-over",
			"take-over needs --pid-file: the other agent is found by it");
	expect_rejected("--take-over --pid-file p -- true",
			"take-over and a command: its events are of one agent alone");
	expect_rejected("--take-over -r in", NULL);
	expect_rejected("--take-over=stay --pid-file p", NULL);
	parse_right("--take-over --pid-file p", &options);
	assert_int_equal(options.takeover, TAKEOVER_EXIT);
	options_finish(&options);
	parse_right("--take-over=exit --pid-file p", &options);
	assert_int_equal(options.takeover, TAKEOVER_EXIT);
	options_finish(&options);
	parse_right("--pid-file p --take-over=wait", &options);
	assert_int_equal(options.takeover, TAKEOVER_WAIT);
	options_finish(&options);
	parse_right("--pid-file p", &options);
	assert_int_equal(options.takeover, TAKEOVER_NOT);
	options_finish(&options);
}

static void test_about_nothing(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"-z", "-z goes with -w; failed calls: evt.failed=true, others: evt.failed=false"},
		{"--zstd -r a", "--zstd goes with -w"},
		{"-C 1 -e 5", "-C goes with -w"},
		{"-W 5 -w a", "-W goes with -C, -G or -e"},
		{"--progress", "--progress goes with -r"},
		{"--progress -w a", "--progress goes with -r"},
		{"-P -w a", "-P goes with -r"},
		{"-s 5 -r a", "-s means nothing with -r: it is about events that happen now"},
		{"-r a --snaplen 5", "--snaplen means nothing with -r: it is about events that "
				     "happen now"},
		{"-r a --self", NULL},
		{"-r a --buffer-size 1M", NULL},
		{"-r a --statsd-port 5", NULL},
		{"-r a --explain", NULL},
		{"--priority error", "--priority goes with --rules"},
		{"--all-rules", "--all-rules goes with --rules"},
		{"--no-follow", "--no-follow goes with --pid or with -- COMMAND"},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
	/* A file has processes, too. */
	parse_right("--pid 1 --no-follow -r a", &options);
	options_finish(&options);
}

static void test_one_file(void **state)
{
	expect_rejected("-r a -r b", "-r a and -r b: one file at a time");
	expect_rejected("-r a --read=a", "-r a and -r a: one file at a time");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_file),    cmocka_unit_test(test_recording_prints_on_request),
	cmocka_unit_test(test_subcommands), cmocka_unit_test(test_contradictions),
	cmocka_unit_test(test_takeover),    cmocka_unit_test(test_about_nothing),
};

UNIT_GROUP(tests);
