/* SPDX-License-Identifier: MIT */
/* The command line as a struct: defaults, the words that are no options. */
#include <stdlib.h>

#include "abi.h"

#include "parsed.h"
#include "unit.h"

static void test_defaults(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_null(options.subcommand);
	assert_false(options.explain);
	assert_null(options.format);
	assert_null(options.filter);
	assert_int_equal(options.count, 0);
	assert_int_equal(options.duration_ns, 0);
	assert_int_equal(options.snaplen, SNAPLEN_DEFAULT);
	assert_int_equal(options.ring_bytes & (options.ring_bytes - 1), 0);
	assert_false(options.exact_types || options.include_self || options.verbose);
	options_finish(&options);
}

static void test_environment(void **state)
{
	struct options options;

	setenv("HOST_ROOT", "/host", 1);
	parse_right("", &options);
	assert_string_equal(options.host_root, "/host");
	options_finish(&options);
	parse_right("--host-root /other", &options);
	assert_string_equal(options.host_root, "/other");
	options_finish(&options);
	setenv("HOST_ROOT", "", 1);
	parse_right("", &options);
	assert_null(options.host_root);
	options_finish(&options);
	unsetenv("HOST_ROOT");
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
		{"evt.res=-1", "evt.res=-1"},
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
	parse_right("spool verify /a", &options);
	assert_string_equal(options.subcommand->name, "spool");
	assert_int_equal(options.action, 1);
	assert_string_equal(options.operand, "/a");
	options_finish(&options);
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

/* All after the first "--" that is no value of an option. */
static void test_command_to_start(void **state)
{
	static const struct {
		const char *line, *filter, *words[4];
	} cases[] = {
		{"-- ls", NULL, {"ls"}},
		{"-n 5 evt.num = 1 -S -- ls -n fields", "evt.num = 1", {"ls", "-n", "fields"}},
		{"--filter -- -- ls", "--", {"ls"}},
		{"--filter evt.num=1 -- -x -- -y", "evt.num=1", {"-x", "--", "-y"}},
		{"--pid 1 --no-follow -- help --help", NULL, {"help", "--help"}},
		{"--filter --", "--", {NULL}},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_int_equal(!options.filter, !cases[i].filter);
		if (options.filter)
			assert_string_equal(options.filter, cases[i].filter);
		assert_int_equal(!options.command, !cases[i].words[0]);
		for (size_t word = 0; options.command && word < 4; word++) {
			if (!cases[i].words[word]) {
				assert_null(options.command[word]);
				break;
			}
			assert_string_equal(options.command[word], cases[i].words[word]);
		}
		options_finish(&options);
	}
	parse_right("-qS", &options);
	assert_true(options.quiet && options.summary);
	assert_null(options.command);
	options_finish(&options);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"help al", "help: expected all, not 'al' (did you mean 'all'?)"},
		{"version 5", "version takes no '5'"},
		{"filds", "'filds' is no command and no filter; did you mean 'agent fields'?"},
		{"Fields proc.name", "'Fields' is no command and no filter; did you mean 'agent "
				     "fields'?"},
		{"xyz", NULL}, /* names all commands: see subcommand.c */
		{"--filter a b", "the filter is given twice: 'a', and the word 'b'"},
		{"check-filter a b", "check-filter takes one FILE, not also 'b'"},
		{"fields a b", "fields takes one PATTERN, not also 'b'"},
		{"fields -o none", "fields: -o takes json, text, markdown or csv"},
		{"-l proc evt", "fields takes one PATTERN, not also 'evt'"},
		{"spool", "spool needs ls|verify|dump FOLDER"},
		{"spool ls", "spool needs ls|verify|dump FOLDER"},
		{"spool lsx a",
		 "spool: expected ls, verify or dump, not 'lsx' (did you mean 'ls'?)"},
		{"spool ls a b", "spool takes ls|verify|dump FOLDER, not also 'b'"},
		{"--", "-- needs a command to start: agent -- ls -l"},
		{"evt.num=1 --", "-- needs a command to start: agent -- ls -l"},
		{"fields -- ls", "fields does not start a command"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defaults),	 cmocka_unit_test(test_environment),
	cmocka_unit_test(test_filters),		 cmocka_unit_test(test_subcommands),
	cmocka_unit_test(test_words_of_filters), cmocka_unit_test(test_command_to_start),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
