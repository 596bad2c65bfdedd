/* SPDX-License-Identifier: MIT */
/* Reads the command line: builds tables for getopt_long(3) from the rows of options. */
#include "agent/options/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options/apply.h"
#include "util/buf.h"
#include "util/nearest.h"

enum {
	/* Returned by getopt for a word that is no option. */
	CODE_WORD = 1,
	/* Plus i: returned for the long name of row i. */
	CODE_NAME = 256,
};

static const char hint[] = "part of a filter? quote it: 'evt.rawres = -2'";

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->optional ? optional_argument : required_argument;
}

static void make_getopt_tables(char *letters, struct option *names)
{
	const struct option_row *row;

	letters = stpcpy(letters, "-:"); /* words in order; no messages of getopt */
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && argument_kind(row) == required_argument)
			*letters++ = ':';
		*names++ = (struct option){row->name, argument_kind(row), NULL, CODE_NAME + (int)i};
	}
	*letters = '\0';
	*names = (struct option){0};
}

/* Returns the row, or NULL if the code has none. */
static const struct option_row *find_row(int code, unsigned int *place)
{
	const struct option_row *row;

	for (*place = 0; (row = option_row(*place)); ++*place)
		if (code == row->letter || code == CODE_NAME + (int)*place)
			break;
	return row;
}

/* Appends ", --NAME" for each option whose name begins with the word. */
static unsigned int append_beginnings(const char *text, size_t len, struct buf *out)
{
	const struct option_row *row;
	unsigned int count = 0;

	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (strncmp(row->name, text, len) == 0)
			buf_printf(out, "%s--%s", count++ ? ", " : "", row->name);
	return count;
}

static const char *nearest_name(const char *text, size_t len)
{
	const struct option_row *row;
	struct nearest nearest;

	nearest_init(&nearest, text, len);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		nearest_offer(&nearest, row->name);
	return nearest.word;
}

/* Rejects a word that begins with two dashes. */
static int reject_name(const char *word, struct error *err)
{
	size_t len = strcspn(word + 2, "=");
	const char *name = nearest_name(word + 2, len);
	char memory[256];
	struct buf names = buf_fixed(memory, sizeof(memory));

	if (append_beginnings(word + 2, len, &names) > 1)
		return error_set(err, -EINVAL, "%s: ambiguous option (%s)", word, memory);
	if (name)
		return error_set(err, -EINVAL, "%s: unknown option (did you mean --%s?)", word,
				 name);
	return error_set(err, -EINVAL, "%s: unknown option (%s)", word, hint);
}

/* Rejects what getopt did not accept: `code` is ':' or '?', `last` the word where it stopped. */
static int reject(int code, const char *last, struct error *err)
{
	if (code == ':')
		return error_set(err, -EINVAL, "%s needs a value", last);
	if (optopt >= CODE_NAME)
		return error_set(err, -EINVAL, "%s: takes no value", last);
	if (optopt)
		return error_set(err, -EINVAL, "unknown option -%c (%s)", optopt, hint);
	return reject_name(last, err);
}

/* Adds the option that getopt just read; its value is in optarg. */
static int take_option(struct command_line *line, int code, const char *last, bool *at_once,
		       struct error *err)
{
	struct setting setting = {.given = code >= CODE_NAME ? GIVEN_NAME : GIVEN_LETTER,
				  .value = optarg};
	const struct option_row *row = find_row(code, &setting.place);
	char name[OPTION_TEXT_MAX];
	int result;

	if (!row)
		return reject(code, last, err);
	result = option_check_value(row, optarg, setting_name(&setting, name), optarg, err);
	if (result)
		return result;
	if (settings_add(&line->settings, &setting))
		return error_set(err, -ENOMEM, "out of memory");
	*at_once = row->subcommand && subcommand_find(line->subcommands, row->subcommand)->at_once;
	return 0;
}

int command_line_read(struct command_line *line, int argc, char **argv,
		      const struct subcommand *subcommands, struct error *err)
{
	struct option names[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3], **words;
	int code, begin = 1, result = 0;
	bool at_once = false;

	*line = (struct command_line){.subcommands = subcommands};
	words = line->words = calloc((size_t)argc + 1, sizeof(words[0]));
	if (!words)
		return error_set(err, -ENOMEM, "out of memory");
	make_getopt_tables(letters, names);
	optind = 0; /* resets also the position within a word */
	while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		begin = optind;
		if (code == CODE_WORD)
			*words++ = optarg;
		else
			result = take_option(line, code, argv[optind - 1], &at_once, err);
		if (result || at_once)
			return result;
	}
	/* "--" ended the options, unless all words were read. */
	if (optind > begin)
		line->behind = argv + optind;
	return 0;
}

void command_line_finish(struct command_line *line)
{
	settings_finish(&line->settings);
	free(line->words);
	*line = (struct command_line){0};
}
