/* SPDX-License-Identifier: MIT */
/* Reading options: by letters and names, values in the word and after it, words in their order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/options/command_line.h"
#include "parsed.h"

static unsigned int place_of(const char *name)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (row->name && strcmp(row->name, name) == 0)
			return i;
	fail_msg("no option %s", name);
	return 0;
}

static void test_what_was_given(void **state)
{
	char *argv[] = {"agent", "-zP", "a", "--read=in", "-n5", "b", "--progress", "-w", "out", NULL};
	char *words[sizeof(argv) / sizeof(argv[0])];
	struct command_line line = {.subcommands = subcommands, .words = words};
	struct options options = {0};

	assert_int_equal(command_line_read(&line, 9, argv, &options, NULL), 0);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "b");
	assert_null(words[2]);
	assert_int_equal(line.given[place_of("compress")], GIVEN_LETTER);
	assert_int_equal(line.given[place_of("progress")], GIVEN_NAME); /* the last time */
	assert_int_equal(line.given[place_of("read")], GIVEN_NAME);
	assert_int_equal(line.given[place_of("write")], GIVEN_LETTER);
	assert_int_equal(line.given[place_of("strict")], GIVEN_NOT);
	assert_string_equal(options.read, "in");
	assert_string_equal(options.write, "out");
	assert_int_equal(options.count, 5);
}

static void test_option_text(void **state)
{
	const struct option_row *row = option_row(place_of("snaplen"));
	char memory[OPTION_TEXT_MAX];

	assert_string_equal(option_text(row, GIVEN_LETTER, memory), "-s");
	assert_string_equal(option_text(row, GIVEN_NAME, memory), "--snaplen");
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
		{"--nosuch", "--nosuch: unknown option (part of a filter? quote "
			     "it: 'evt.rawres = -2')"},
		{"--wrte x", "--wrte: unknown option (did you mean --write?)"},
		{"--Compres=1", "--Compres=1: unknown option (did you mean --compress?)"},
		{"--snap 5", "--snap: ambiguous option (--snaplen, --snaplen-ports)"},
		{"--color atuo", "--color: expected auto, always or never, not 'atuo' (did you "
				 "mean 'auto'?)"},
		{"--help=al", "--help: expected all, not 'al' (did you mean 'all'?)"},
		/* An unambiguous beginning of a name is that name. */
		{"--buf", "--buf needs a value"},
		{"evt.rawres = -2", "unknown option -2 (part of a filter? quote it: "
				    "'evt.rawres = -2')"},
		{"-n", "-n needs a value"},
		{"--self=1", "--self=1: takes no value"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_given),
		cmocka_unit_test(test_option_text),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
