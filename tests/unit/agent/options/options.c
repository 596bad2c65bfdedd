/* SPDX-License-Identifier: MIT */
/* The command line as a struct: defaults, values, words of a filter, sub-commands. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "agent/commands/subcommands.h"
#include "agent/options/options.h"

enum { ARGS_MAX = 24 };

/* Parses a command line of words that blanks separate. */
static int parse(const char *line, struct options *options, struct error *err)
{
	static char text[256];
	char *argv[ARGS_MAX] = {"agent"};
	int argc = 1;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_true(argc < ARGS_MAX);
	return options_parse(argc, argv, subcommands, options, err);
}

static void parse_right(const char *line, struct options *options)
{
	struct error err = {""};

	if (parse(line, options, &err))
		fail_msg("'%s' is refused: %s", line, err.text);
}

static void test_defaults(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_null(options.subcommand);
	assert_false(options.explain);
	assert_int_equal(options.format, FORMAT_AUTO);
	assert_null(options.filter);
	assert_int_equal(options.count, 0);
	assert_int_equal(options.duration_ns, 0);
	assert_int_equal(options.snaplen, SNAPLEN_DEFAULT);
	assert_int_equal(options.ring_bytes & (options.ring_bytes - 1), 0);
	assert_false(options.exact_types || options.include_self || options.verbose);
	options_finish(&options);
}

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
	parse_right("-pc", &options);
	assert_string_equal(options.print, "c");
	options_finish(&options);
	parse_right("-p %evt.num -n 1", &options);
	assert_string_equal(options.print, "%evt.num");
	options_finish(&options);
}

/* Who says how much of a buffer is kept wants to see it. */
static void test_chosen_snaplen(void **state)
{
	static const char *const lines[] = {"--snaplen 80", "--snaplen-ports 1-2",
					    "--dynamic-snaplen", "--statsd-port 1"};
	struct options options;

	parse_right("-v", &options);
	assert_false(options.snaplen_chosen);
	options_finish(&options);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse_right(lines[i], &options);
		assert_true(options.snaplen_chosen);
		options_finish(&options);
	}
}

static void test_values(void **state)
{
	struct options options;

	parse_right("--json-fields all,evt.num --json-b64", &options);
	assert_string_equal(options.json_fields, "all,evt.num");
	assert_true(options.json_base64);
	options_finish(&options);
	parse_right("-n 7 -M 1.5 --stats=0.25 -o json --snaplen 0 --exact-types --self -v", &options);
	assert_int_equal(options.count, 7);
	assert_int_equal(options.duration_ns, 1500000000);
	assert_int_equal(options.stats_ns, 250000000);
	assert_int_equal(options.format, FORMAT_JSON);
	assert_int_equal(options.snaplen, 0);
	assert_true(options.exact_types && options.include_self && options.verbose);
	options_finish(&options);
}

/* As in sysdig. */
static void test_letters(void **state)
{
	struct options options;

	parse_right("-j -s 500", &options);
	assert_int_equal(options.format, FORMAT_JSON);
	assert_int_equal(options.snaplen, 500);
	assert_true(options.snaplen_chosen);
	options_finish(&options);
	parse_right("--json -s0", &options);
	assert_int_equal(options.format, FORMAT_JSON);
	assert_int_equal(options.snaplen, 0);
	options_finish(&options);
}

static void test_snaplen_rules(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_int_equal(options.snaplen_rules.full_high, 0);
	assert_false(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 8125);
	options_finish(&options);
	parse_right("--snaplen-ports 1-65535 --statsd-port 53", &options);
	assert_int_equal(options.snaplen_rules.full_low, 1);
	assert_int_equal(options.snaplen_rules.full_high, 65535);
	assert_true(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 53);
	assert_int_equal(options.snaplen, SNAPLEN_DEFAULT);
	options_finish(&options);
	parse_right("--dynamic-snaplen", &options);
	assert_true(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 8125);
	options_finish(&options);
}

static void test_buffer_sizes(void **state)
{
	static const struct {
		const char *line;
		uint32_t bytes; /* 0: a page */
	} cases[] = {
		{"--buffer-size 1", 0},
		{"--buffer-size 65536", 65536},
		{"--buffer-size 65537", 131072},
		{"--buffer-size 64K", 65536},
		{"--buffer-size 3M", 4 << 20},
		{"--buffer-size 8M", 8 << 20},
		{"--buffer-size 1G", 1 << 30},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_int_equal(options.ring_bytes,
				 cases[i].bytes ? cases[i].bytes : (uint32_t)getpagesize());
		options_finish(&options);
	}
}

static void test_filters(void **state)
{
	static const struct {
		const char *line, *filter;
	} cases[] = {
		{"--filter evt.num=1", "evt.num=1"},
		{"evt.num=1", "evt.num=1"},
		{"evt.type = open and fd.num > 3", "evt.type = open and fd.num > 3"},
		{"evt.num=1 -n 5 or evt.num=2", "evt.num=1 or evt.num=2"},
		{"-- evt.res = -1", "evt.res = -1"},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_string_equal(options.filter, cases[i].filter);
		options_finish(&options);
	}
}

static void test_subcommands(void **state)
{
	static const struct {
		const char *line, *name, *operand;
	} cases[] = {
		{"--help", "help", NULL},
		{"--help=all", "help", "all"},
		{"-n 1 --version", "version", NULL},
		{"--help --nosuch", "help", NULL},
		{"check-filter", "check-filter", "-"},
		{"check-filter -", "check-filter", "-"},
		{"check-filter FILE --exact-types", "check-filter", "FILE"},
		{"fields", "fields", NULL},
		{"-v fields proc.* -o markdown", "fields", "proc.*"},
		{"events open -o json", "events", "open"},
		{"-h", "help", NULL},
		{"help all", "help", "all"},
		{"-V", "version", NULL},
		{"-l", "fields", NULL},
		{"-lv proc.* -j", "fields", "proc.*"},
		{"--list proc.*", "fields", "proc.*"},
		{"-L open", "events", "open"},
		{"--list-events", "events", NULL},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_non_null(options.subcommand);
		assert_string_equal(options.subcommand->name, cases[i].name);
		if (cases[i].operand)
			assert_string_equal(options.operand, cases[i].operand);
		else
			assert_null(options.operand);
		options_finish(&options);
	}
	parse_right("--explain evt.num=1", &options);
	assert_null(options.subcommand);
	assert_true(options.explain);
	options_finish(&options);
}

/* What can be a filter is none that is mistyped: its own messages say where it is wrong. */
static void test_words_of_filters(void **state)
{
	static const char *const filters[] = {
		"proc.name", "evt.type=filds", "not evt.num=1", "xyz = 3", "event.type contains x",
	};
	struct options options;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		parse_right(filters[i], &options);
		assert_string_equal(options.filter, filters[i]);
		options_finish(&options);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"--nosuch", "--nosuch: unknown option (part of a filter? put -- "
			     "before it, or write evt.rawres=-2)"},
		{"--wrte x", "--wrte: unknown option (did you mean --write?)"},
		{"--Compres=1", "--Compres=1: unknown option (did you mean --compress?)"},
		{"--snap 5", "--snap: ambiguous option (--snaplen, --snaplen-ports)"},
		{"--color atuo", "--color: expected auto, always or never, not 'atuo' (did you "
				 "mean 'auto'?)"},
		{"-t h2", "-t: expected h, a, r, d or D, not 'h2' (did you mean 'h'?)"},
		{"--rules r --priority eror", "--priority: expected Emergency, Alert, Critical, "
					      "Error, Warning, Notice, Informational or Debug, "
					      "not 'eror' (did you mean 'Error'?)"},
		{"--help=al", "--help: expected all, not 'al' (did you mean 'all'?)"},
		{"help al", "help: expected all, not 'al' (did you mean 'all'?)"},
		{"version 5", "version takes no '5'"},
		{"help --self", "help does not take --self"},
		{"filds", "'filds' is no command and no filter; did you mean 'agent fields'?"},
		{"Fields proc.name", "'Fields' is no command and no filter; did you mean 'agent "
				     "fields'?"},
		{"xyz", "'xyz' is no command and no filter (commands: check-filter, check-rules, "
			"completion, events, fields, help, version; a filter is like proc.name=cat)"},
		/* An unambiguous beginning of a name is that name. */
		{"--buf", "--buf needs a value"},
		{"evt.rawres = -2", "unknown option -2 (part of a filter? put -- before it, or "
				    "write evt.rawres=-2)"},
		{"-n", "-n needs a value"},
		{"--self=1", "--self=1: takes no value"},
		{"-n 0", "-n: expected a number of 1 or more, not '0'"},
		{"-n -3", NULL},
		{"-n 18446744073709551616", NULL},
		{"-M 0", NULL},
		{"-M nan", NULL},
		{"-o xml", "-o: expected json, text, none or markdown, not 'xml'"},
		{"--snaplen 65001", "--snaplen: expected a number from 0 to 65000, not '65001'"},
		{"-s 65001", "-s: expected a number from 0 to 65000, not '65001'"},
		{"--buffer-size 0", NULL},
		{"--buffer-size 2G", NULL},
		{"--buffer-size 18446744073709551615K", NULL},
		{"--filter a --filter b", NULL},
		{"--filter a b", "the filter is given twice: 'a', and the word 'b'"},
		{"--filter a check-filter b", "check-filter does not take --filter"},
		{"check-filter -n 5 --exact-types", "check-filter does not take -n"},
		{"check-filter a b", "check-filter takes one FILE, not also 'b'"},
		{"fields a b", "fields takes one PATTERN, not also 'b'"},
		{"events --exact-types", "events does not take --exact-types"},
		{"check-filter -o json", "check-filter does not take -o"},
		{"fields -o none", "fields: -o takes text, json or markdown"},
		{"-o markdown evt.num=1", "-o markdown: for lists (agent fields, agent events), not for "
					  "events"},
		{"-w a -z --zstd", "-z and --zstd: one of them"},
		{"-z", "-z goes with -w"},
		{"--zstd -r a", "--zstd goes with -w"},
		{"-C 1 -e 5", "-C goes with -w"},
		{"-W 5 -w a", "-W goes with -C, -G or -e"},
		{"-W 0 -e 5 -w a", "-W: expected a number from 1 to 1000000, not '0'"},
		{"-W 1000001 -e 5 -w a", NULL},
		{"-C 0 -w a", "-C: expected a number of megabytes of 1 or more, not '0'"},
		{"-C 18446744073709551615 -w a", NULL},
		{"-e 0 -w a", NULL},
		{"-G 0 -w a", NULL},
		{"--scap-compat 2015 -w a", "--scap-compat: expected 2022, not '2015'"},
		{"--strict", "--strict goes with -r"},
		{"--progress -w a", "--progress goes with -r"},
		{"-P -w a", "-P goes with -r"},
		{"-s 5 -r a", "-s means nothing with -r: it is about events that happen now"},
		{"-l proc evt", "fields takes one PATTERN, not also 'evt'"},
		{"-L -n 5", "events does not take -n"},
		{"-r a --snaplen 5", "--snaplen means nothing with -r: it is about events that "
				     "happen now"},
		{"-r a --self", NULL},
		{"-r a --buffer-size 1M", NULL},
		{"-r a --statsd-port 5", NULL},
		{"-r a --explain", NULL},
		{"-w a --native --scap-compat 2022", "--native is for Lanner alone, --scap-compat "
						     "for others: one of them"},
		{"-w - -e 5", "-w -: standard output is one file; -C, -G and -e need a name"},
		{"-w - -o json", "-w - takes standard output: nothing can be printed there (-o "
				 "none)"},
		{"-w - --rules r", NULL},
		{"--priority error", "--priority goes with --rules"},
		{"--all-rules", "--all-rules goes with --rules"},
		{"fields -r a", "fields does not take -r"},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {""};
		int code = parse(cases[i].line, &options, &err);

		if (cases[i].message)
			assert_string_equal(err.text, cases[i].message);
		assert_int_equal(code, -EINVAL);
		assert_true(err.text[0]);
		options_finish(&options);
	}
}

static void test_capture_files(void **state)
{
	static const char *const lines[] = {
		"-r in -w out -z -C 5 -G 1.5 -e 7 -W 3 -F --strict -P --scap-compat 2022",
		"--read in --write out --compress --file-size 5 --seconds 1.5 -e 7 --limit 3 "
		"--fatfile --strict --progress --scap-compat=2022",
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
		assert_true(options.fat && options.strict && options.progress);
		options_finish(&options);
	}
	parse_right("-w out --zstd --native", &options);
	assert_int_equal(options.writer.compression, SCAP_ZSTD);
	assert_true(options.writer.native && !options.fat);
	assert_null(options.read);
	options_finish(&options);
}

/* What is recorded is not printed as well, unless an option says what to print. */
static void test_recording_prints_on_request(void **state)
{
	static const struct {
		const char *line;
		enum agent_format format;
	} cases[] = {
		{"-w out", FORMAT_NONE},
		{"-w out -n 3 -v --stats 5 evt.num=1", FORMAT_NONE},
		{"-w out -o json", FORMAT_JSON},
		{"-w out -p %evt.num", FORMAT_AUTO},
		{"-w out --json-fields all", FORMAT_AUTO},
		{"-w out -A", FORMAT_AUTO},
		{"-w out -ta", FORMAT_AUTO},
		{"-w out --rules r", FORMAT_AUTO},
		{"-w out --rules r -o none", FORMAT_NONE},
		{"-r in", FORMAT_AUTO},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_int_equal(options.format, cases[i].format);
		options_finish(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),     cmocka_unit_test(test_values),
		cmocka_unit_test(test_what_is_printed),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_chosen_snaplen),
		cmocka_unit_test(test_snaplen_rules),
		cmocka_unit_test(test_buffer_sizes), cmocka_unit_test(test_filters),
		cmocka_unit_test(test_subcommands),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_words_of_filters),
		cmocka_unit_test(test_capture_files),
		cmocka_unit_test(test_recording_prints_on_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
