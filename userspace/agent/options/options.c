/* SPDX-License-Identifier: MIT */
/* The command line against the table of options, and the help made of that. */
#include "agent/options/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/rows.h"
#include "event/event.h"
#include "util/nearest.h"

enum {
	/* Two CPUs stay below 40 MB with this, and 40,000 small events wait for the reader. */
	RING_BYTES_DEFAULT = 4 << 20,
	/* What getopt returns for the row i of the table. */
	OPTION_BASE = 256,
};

static bool is_short(const struct option_row *row)
{
	return row->name[1] == '\0';
}

/* Or NULL. */
static const char *long_name(const struct option_row *row)
{
	return is_short(row) ? row->also : row->name;
}

static int argument_kind(const struct option_row *row)
{
	return row->argument ? required_argument : no_argument;
}

/* getopt's two tables from ours. Short options are letters in `letters`, long ones rows. */
static void make_getopt_tables(char *letters, struct option *longs)
{
	*letters++ = ':';
	for (unsigned int i = 0; i < option_rows_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (is_short(row)) {
			*letters++ = row->name[0];
			if (row->argument)
				*letters++ = ':';
		}
		if (long_name(row))
			*longs++ = (struct option){long_name(row), argument_kind(row), NULL,
						   OPTION_BASE + (int)i};
	}
	*letters = '\0';
	*longs = (struct option){0};
}

static const struct option_row *find_row(int code)
{
	if (code >= OPTION_BASE)
		return &option_rows[code - OPTION_BASE];
	for (unsigned int i = 0; i < option_rows_count; i++)
		if (is_short(&option_rows[i]) && option_rows[i].name[0] == code)
			return &option_rows[i];
	return NULL;
}

/* How an option was given, last if several times; messages name it so. */
enum given { GIVEN_NOT, GIVEN_LETTER, GIVEN_NAME };

static const char *dashes(enum given how)
{
	return how == GIVEN_LETTER ? "-" : "--";
}

static const char *name_given(const struct option_row *row, enum given how)
{
	return how == GIVEN_LETTER ? row->name : long_name(row);
}

/* The name that a mistyped one was probably meant to be, or NULL. */
static const char *nearest_name(const char *text, size_t len)
{
	struct nearest nearest;

	nearest_init(&nearest, text, len);
	for (unsigned int i = 0; i < option_rows_count; i++)
		if (long_name(&option_rows[i]))
			nearest_offer(&nearest, long_name(&option_rows[i]));
	return nearest.word;
}

/* What getopt did not understand: `code` is ':' or '?', `last` the word that it stopped at. */
static int refuse(int code, const char *last, struct error *err)
{
	static const char hint[] = "part of a filter? put -- before it, or write evt.rawres=-2";
	const char *name;

	if (code == ':')
		return error_set(err, -EINVAL, "%s needs a value", last);
	if (optopt >= OPTION_BASE)
		return error_set(err, -EINVAL, "%s: takes no value", last);
	if (optopt)
		return error_set(err, -EINVAL, "unknown option -%c (%s)", optopt, hint);
	name = nearest_name(last + 2, strcspn(last + 2, "="));
	if (name)
		return error_set(err, -EINVAL, "%s: unknown or ambiguous option (did you mean --%s?)",
				 last, name);
	return error_set(err, -EINVAL, "%s: unknown or ambiguous option (%s)", last, hint);
}

static int apply(struct options *options, const struct option_row *row, enum given how,
		 struct error *err)
{
	int result = row->set(options, optarg);

	if (result == -EINVAL)
		error_set(err, result, "%s%s: expected %s, not '%s'", dashes(how),
			  name_given(row, how), row->accepts, optarg);
	else if (result)
		error_set(err, result, "out of memory");
	return result;
}

/* The words of a filter, joined with blanks. */
static int join_words(char **words, struct options *options, struct error *err)
{
	size_t len = 0;
	char *at;

	if (options->filter)
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 options->filter, words[0]);
	for (char **word = words; *word; word++)
		len += strlen(*word) + 1;
	at = options->filter = malloc(len);
	if (!at)
		return error_set(err, -ENOMEM, "out of memory");
	for (char **word = words; *word; word++) {
		at = stpcpy(at, *word);
		*at++ = ' ';
	}
	at[-1] = '\0';
	return 0;
}

/* Sub-commands: the first word that is no option. Another word may follow. */
static const struct command_row {
	const char *word;
	enum agent_action action;
	const char *operand; /* what the other word is, for messages */
	const char *operand_default;
	bool several; /* operands, at least one */
} command_rows[] = {
	{"check-filter", ACTION_CHECK_FILTER, "file", "-"},
	{"fields", ACTION_FIELDS, "pattern", NULL},
	{"events", ACTION_EVENTS, "pattern", NULL},
	{"check-rules", ACTION_CHECK_RULES, "file", NULL, true},
};

enum { COMMAND_ROWS_COUNT = sizeof(command_rows) / sizeof(command_rows[0]) };

static const struct command_row *find_command(const char *word)
{
	for (int i = 0; i < COMMAND_ROWS_COUNT; i++)
		if (word && strcmp(command_rows[i].word, word) == 0)
			return &command_rows[i];
	return NULL;
}

static const struct command_row *find_action(enum agent_action action)
{
	for (int i = 0; i < COMMAND_ROWS_COUNT; i++)
		if (command_rows[i].action == action)
			return &command_rows[i];
	return NULL;
}

/* `operands` are the words behind the command; `given` is how each row of options was given. */
static int parse_command(const struct command_row *command, char **operands,
			 const enum given *given, struct options *options, struct error *err)
{
	for (unsigned int i = 0; i < option_rows_count; i++)
		if (given[i] && !(option_rows[i].commands >> command->action & 1))
			return error_set(err, -EINVAL, "%s does not take %s%s", command->word,
					 dashes(given[i]), name_given(&option_rows[i], given[i]));
	if (command->several && !operands[0])
		return error_set(err, -EINVAL, "%s needs a %s", command->word, command->operand);
	if (!command->several && operands[0] && operands[1])
		return error_set(err, -EINVAL, "%s takes one %s, not also '%s'", command->word,
				 command->operand, operands[1]);
	if (options->format == FORMAT_NONE)
		return error_set(err, -EINVAL, "%s: -o takes text, json or markdown", command->word);
	options->action = command->action;
	options->operand = operands[0] ? operands[0] : command->operand_default;
	for (char **word = operands; command->several && *word; word++)
		if (option_add_rules(options, *word))
			return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static bool has_splits(const struct options *options)
{
	return options->limits.bytes || options->limits.ns || options->limits.events;
}

/* Refuses options about something that is not there. */
static int check_about(const enum given *given, const struct options *options, struct error *err)
{
	static const struct {
		unsigned int about;
		const char *why;
	} reasons[] = {
		{LIVE, "means nothing with -r: it is about events that happen now"},
		{INPUT, "goes with -r"},
		{OUTPUT, "goes with -w"},
		{SPLIT, "goes with -C, -G or -e"},
		{RULES, "goes with --rules"},
	};
	const bool there[] = {!options->read, options->read, options->write, has_splits(options),
			      options->rules_count};

	for (size_t reason = 0; reason < sizeof(reasons) / sizeof(reasons[0]); reason++)
		for (unsigned int i = 0; i < option_rows_count && !there[reason]; i++)
			if (given[i] && (option_rows[i].about & reasons[reason].about))
				return error_set(err, -EINVAL, "%s%s %s", dashes(given[i]),
						 name_given(&option_rows[i], given[i]),
						 reasons[reason].why);
	return 0;
}

/* How many options were given that are about this. */
static unsigned int count_about(const enum given *given, unsigned int about)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < option_rows_count; i++)
		count += given[i] && (option_rows[i].about & about);
	return count;
}

/* What is written is not printed as well, unless that is asked for. */
static int check_write(const enum given *given, struct options *options, struct error *err)
{
	if (count_about(given, PRINTS) == 0)
		options->format = FORMAT_NONE;
	if (options->writer.native && options->writer.form_2022)
		return error_set(err, -EINVAL, "--native is for Lanner alone, --scap-compat for "
					       "others: one of them");
	if (count_about(given, PACKS) > 1)
		return error_set(err, -EINVAL, "-z and --zstd: one of them");
	if (strcmp(options->write, "-"))
		return 0;
	if (has_splits(options))
		return error_set(err, -EINVAL, "-w -: standard output is one file; -C, -G and -e "
					       "need a name");
	if (options->format != FORMAT_NONE)
		return error_set(err, -EINVAL, "-w - takes standard output: nothing can be printed "
					       "there (-o none)");
	if (options->action == ACTION_CAPTURE && isatty(STDOUT_FILENO))
		return error_set(err, -EINVAL, "-w -: standard output is a terminal; direct it to "
					       "a file or into a pipe");
	return 0;
}

static int parse_words(char **words, const enum given *given, struct options *options, struct error *err)
{
	const struct command_row *command = find_command(words[0]);
	int result;

	if (options->action == ACTION_FIELDS || options->action == ACTION_EVENTS)
		return parse_command(find_action(options->action), words, given, options, err);
	if (command)
		return parse_command(command, words + 1, given, options, err);
	if (options->format == FORMAT_MARKDOWN)
		return error_set(err, -EINVAL, "-o markdown: for lists (agent fields, agent events), "
					       "not for events");
	result = check_about(given, options, err);
	if (result == 0 && options->write)
		result = check_write(given, options, err);
	return result || !words[0] ? result : join_words(words, options, err);
}

void options_append_commands(struct buf *out)
{
	const char *separator = "";

	for (int i = 0; i < COMMAND_ROWS_COUNT; i++) {
		buf_append_string(out, separator);
		buf_append_string(out, command_rows[i].word);
		separator = ", ";
	}
}

int options_parse(int argc, char **argv, struct options *options, struct error *err)
{
	const struct option_row *row;
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
	enum given given[OPTIONS_MAX] = {GIVEN_NOT}, how;
	int code, result;

	*options = (struct options){
		.ring_bytes = RING_BYTES_DEFAULT,
		.snaplen = SNAPLEN_DEFAULT,
		.snaplen_rules.statsd_port = STATSD_PORT_DEFAULT,
		.priority = PRIORITY_DEBUG,
	};
	make_getopt_tables(letters, longs);
	optind = 0; /* forgets also where in a word it was */
	while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		row = find_row(code);
		how = code >= OPTION_BASE ? GIVEN_NAME : GIVEN_LETTER;
		result = row ? apply(options, row, how, err) : refuse(code, argv[optind - 1], err);
		if (result)
			return result;
		if (options->action == ACTION_HELP || options->action == ACTION_VERSION)
			return 0;
		given[row - option_rows] = how;
	}
	return parse_words(argv + optind, given, options, err);
}

void options_finish(struct options *options)
{
	free(options->filter);
	free(options->rules);
	options->filter = NULL;
	options->rules = NULL;
}

const char *options_input_name(const struct options *options)
{
	return strcmp(options->read, "-") ? options->read : "standard input";
}

static void print_on_request(void)
{
	const char *separator = "Captured only when a filter names them: ";

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->flags & EF_ON_REQUEST))
			continue;
		printf("%s%s", separator, desc->name);
		separator = ", ";
	}
	puts(".");
}

void options_print_help(void)
{
	puts("Usage: agent [OPTION]... [FILTER]...     print events of the machine, or a file\n"
	     "       agent check-filter [FILE|-]       check filters, one on each line\n"
	     "       agent check-rules FILE...         check rules\n"
	     "       agent fields|events [PATTERN]     list what filters and outputs can name\n");
	for (unsigned int i = 0; i < option_rows_count; i++) {
		const struct option_row *row = &option_rows[i];
		char option[40];

		if (row->section)
			printf("%s%s:\n", i ? "\n" : "", row->section);
		snprintf(option, sizeof(option), "%s%s%s%s %s", is_short(row) ? "-" : "--", row->name,
			 row->also ? ", --" : "", row->also ? row->also : "",
			 row->argument ? row->argument : "");
		printf("  %-24s %s\n", option, row->help);
	}
	putchar('\n');
	print_on_request();
	puts("Example: agent -n 100 'evt.type=open and proc.name=cat' > events.jsonl\n"
	     "Exit code: 0; 1 for a failure while running; 2 for wrong usage.");
}
