/* SPDX-License-Identifier: MIT */
/* Reading options: by letters and names, values in the word and after it, words in their order. */
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/options/command_line.h"
#include "parsed.h"
#include "unit.h"

static void expect_setting(const struct command_line *line, const char *name,
			   enum option_given given, const char *value)
{
	const struct setting *setting;
	unsigned int place = 0;

	assert_non_null(option_find(name, &place));
	setting = settings_find(&line->settings, place);
	assert_non_null(setting);
	assert_int_equal(setting->given, given);
	if (value)
		assert_string_equal(setting->value, value);
	else
		assert_null(setting->value);
}

static void test_what_was_given(void **state)
{
	char *argv[] = {"agent", "-zP",	       "a",  "--read=in", "-n5",
			"b",	 "--progress", "-w", "out",	  NULL};
	struct command_line line;

	assert_int_equal(command_line_read(&line, 9, argv, subcommands, NULL), 0);
	assert_string_equal(line.words[0], "a");
	assert_string_equal(line.words[1], "b");
	assert_null(line.words[2]);
	assert_null(line.behind);
	assert_int_equal(line.settings.count, 6);
	expect_setting(&line, "compress", GIVEN_LETTER, NULL);
	expect_setting(&line, "progress", GIVEN_NAME, NULL); /* the last time */
	expect_setting(&line, "read", GIVEN_NAME, "in");
	expect_setting(&line, "write", GIVEN_LETTER, "out");
	expect_setting(&line, "numevents", GIVEN_LETTER, "5");
	command_line_finish(&line);
}

/* As in sysdig. */
static void test_letters(void **state)
{
	struct options options;

	parse_right("-j -s 500", &options);
	assert_ptr_equal(options.format, &format_json);
	assert_int_equal(options.snaplen, 500);
	assert_true(options.snaplen_chosen);
	options_finish(&options);
	parse_right("--json -s0", &options);
	assert_ptr_equal(options.format, &format_json);
	assert_int_equal(options.snaplen, 0);
	options_finish(&options);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"--nosuch", "--nosuch: unknown option"},
		{"a --nosuch", "--nosuch: unknown option (part of a filter? quote "
			       "it: 'evt.rawres = -2')"},
		{"--wrte x", "--wrte: unknown option (did you mean --write?)"},
		{"--Compres=1", "--Compres=1: unknown option (did you mean --compress?)"},
		{"--snap 5", "--snap: ambiguous option (--snaplen, --snaplen-ports)"},
		{"--color atuo", "--color: expected auto, always or never, not 'atuo' (did you "
				 "mean 'auto'?)"},
		{"--help=al", "--help: expected all, not 'al' (did you mean 'all'?)"},
		/* An unambiguous beginning of a name is that name. */
		{"--buf", "--buf needs a value"},
		{"evt.rawres = -2", "-2 behind '=': part of a filter? quote it: "
				    "'evt.rawres = -2'"},
		{"-n", "-n needs a value"},
		{"--self=1", "--self=1: takes no value"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_was_given),
	cmocka_unit_test(test_letters),
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
