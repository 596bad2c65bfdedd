/* SPDX-License-Identifier: MIT */
/* A command that captures takes all that a capture takes, by one flag of its row. */
#include <errno.h>
#include <string.h>

#include "agent/commands/commands.h"
#include "agent/config/load.h"
#include "agent/options/check.h"
#include "agent/options/row.h"
#include "printed.h"
#include "tree.h"
#include "unit.h"

enum { ARGS_MAX = 16 };

static int busy_run(const struct options *options)
{
	return 7;
}

static const struct agent_subcommand table[] = {
	{"fields", "PATTERN", OPERAND_OPTIONAL, .takes = OF_LISTS, .run = busy_run, .help = "list"},
	{"busy", .captures = true, .run = busy_run, .help = "who is busy"},
	{NULL},
};

/* Words that blanks separate. They stay until the next call. */
static int parse(const char *line, struct options *options, struct error *err)
{
	static char text[1024], *argv[ARGS_MAX];
	struct buf messages = {0};
	int argc = 0, code;

	snprintf(text, sizeof(text), "agent %s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_true(argc < ARGS_MAX);
	argv[argc] = NULL;
	*err = (struct error){""};
	code = config_load(argc, argv, table, options, &messages, err);
	assert_int_equal(messages.len, 0);
	return code;
}

static void expect_busy(const char *line, struct options *options)
{
	struct error err;

	if (parse(line, options, &err))
		fail_msg("%s: %s", line, err.text);
	assert_ptr_equal(options->subcommand, &table[1]);
}

/* Also one that is added to the table later. */
static void test_every_option(void **state)
{
	const struct option_row *row;
	unsigned int taken = 0;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		struct setting setting = {.place = i, .given = GIVEN_NAME};
		struct options options = {.settings = {.list = &setting, .count = 1}};
		struct error err = {""};
		int code = options_check_subcommand(&options, &table[1], &err);

		assert_int_equal(code, option_is_about_captures(row) ? 0 : -EINVAL);
		assert_int_equal(option_is_about_captures(row), !row->subcommand);
		taken += code == 0;
		if (!(row->about & OF_LISTS))
			assert_int_equal(options_check_subcommand(&options, &table[0], &err),
					 -EINVAL);
	}
	assert_in_range(taken, 60, OPTIONS_MAX);
}

static void test_line(void **state)
{
	static char command[] = "ls";
	struct options options;

	expect_busy("busy -r in -p %evt.num --numevents 5", &options);
	assert_string_equal(options.read, "in");
	assert_string_equal(options.print, "%evt.num");
	assert_int_equal(options.count, 5);
	assert_null(options.filter);
	options_finish(&options);
	expect_busy("-pc busy evt.num = 1 -n 2 or evt.num=3", &options);
	assert_string_equal(options.filter, "evt.num = 1 or evt.num=3");
	assert_string_equal(options.print, "c");
	options_finish(&options);
	expect_busy("busy proc.name=ls -- ls", &options);
	assert_string_equal(options.command[0], command);
	options_finish(&options);
	expect_busy("busy --explain", &options);
	assert_true(options.explain);
	options_finish(&options);
}

/* What does not fit together in a capture does not fit here. */
static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"busy -r in --self",
		 "--self means nothing with -r: it is about events that happen "
		 "now"},
		{"busy -z",
		 "-z goes with -w; failed calls: evt.failed=true, others: evt.failed=false"},
		{"busy --filter a b", "the filter is given twice: 'a', and the word 'b'"},
		{"busy -r in -- ls", "-- ls: a command cannot be started with -r: events come from "
				     "the file"},
		{"busy --", "-- needs a command to start: agent -- ls -l"},
		{"fields -r in", "fields does not take -r"},
		{"bussy", "'bussy' is no command and no filter; did you mean 'agent busy'?"},
	};
	struct options options;
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].line, &options, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].message);
		options_finish(&options);
	}
}

/* A reload goes on with the same command. */
static void test_reload(void **state)
{
	struct options options, renewed;
	struct buf messages = {0}, restart = {0};
	char path[TREE_PATH_BYTES], line[TREE_PATH_BYTES + 32];
	struct error err = {""};
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "a.yaml", "filter: evt.num=1\n");
	tree_path(&tree, "a.yaml", path);
	snprintf(line, sizeof(line), "busy -c %s", path);
	expect_busy(line, &options);
	assert_string_equal(options.filter, "evt.num=1");
	tree_write(&tree, "a.yaml", "filter: evt.num=2\n");
	assert_int_equal(config_renew(&options, &renewed, &messages, &restart, &err), 0);
	assert_ptr_equal(renewed.subcommand, &table[1]);
	assert_string_equal(renewed.filter, "evt.num=2");
	options_finish(&renewed);
	options_finish(&options);
	buf_finish(&messages);
	buf_finish(&restart);
	tree_destroy(&tree);
}

static void print(void *context)
{
	void (*print_script)(const struct agent_subcommand *subcommands) = context;

	print_script(table);
}

static void print_help(void *context)
{
	help_run(&(struct options){.subcommands = table, .operand = "all"});
}

static void expect(void (*call)(void *context), void *context, const char *text)
{
	struct printed printed;

	printed_call(call, context, &printed);
	if (!strstr(printed.out, text))
		fail_msg("'%s' is not there: %s", text, printed.out);
	printed_finish(&printed);
}

static void test_words_after_it(void **state)
{
	expect(print_help, NULL, "  busy [FILTER] ");
	expect(print, completion_print_bash, "busy) _agent_reply -W \"$(_agent_list fields)\"");
	expect(print, completion_print_fish,
	       "__fish_seen_subcommand_from busy' -x -a '(__agent_list fields)'");
	expect(print, completion_print_zsh, "busy) _agent_list fields; return ;;");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_option),   cmocka_unit_test(test_line),
	cmocka_unit_test(test_rejected),       cmocka_unit_test(test_reload),
	cmocka_unit_test(test_words_after_it),
};

UNIT_GROUP(tests);
