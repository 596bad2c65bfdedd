/* SPDX-License-Identifier: MIT */
/* Reads them with getopt_long(3), whose tables are made of the rows. */
#include "agent/tools/own_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "agent/options/command.h"
#include "agent/options/command_line.h"
#include "util/nearest.h"
#include "util/value.h"

enum { CODE_WORD = 1, CODE_NAME = 256 };

static const struct own_row *find_row(const struct own_options *own, int code)
{
	for (size_t i = 0; i < own->count; i++)
		if (code == CODE_NAME + (int)i || (code && code == own->rows[i].letter))
			return &own->rows[i];
	return NULL;
}

static bool may_lack(const struct own_row *row)
{
	return row->argument && row->argument[0] == '[';
}

/* Words are given in their order, or the first one ends the options. */
static void make_tables(const struct own_options *own, char letters[3 * OWN_ROWS_MAX + 3],
			struct option names[OWN_ROWS_MAX + 1])
{
	size_t count = 0;

	*letters++ = own->options_anywhere ? '-' : '+';
	*letters++ = ':';
	for (size_t i = 0; i < own->count; i++) {
		const struct own_row *row = &own->rows[i];

		if (row->name)
			names[count++] = (struct option){row->name,
							 may_lack(row)	 ? optional_argument
							 : row->argument ? required_argument
									 : no_argument,
							 NULL, CODE_NAME + (int)i};
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && row->argument)
			*letters++ = ':';
		if (row->letter && may_lack(row))
			*letters++ = ':';
	}
	*letters = '\0';
	names[count] = (struct option){0};
}

static int reject(const struct own_options *own, int code, const char *word, struct error *err)
{
	bool is_name = word[0] == '-' && word[1] == '-';
	struct nearest nearest;
	char letter[3];

	/* Of letters in one word it is the one that is wrong. */
	if (!is_name && optopt > ' ' && optopt < 127) {
		snprintf(letter, sizeof(letter), "-%c", optopt);
		word = letter;
	}
	if (code == ':')
		return error_set(err, -EINVAL, "%s: %s needs a value", own->command, word);
	if (!is_name)
		return error_set(err, -EINVAL, "%s: %s: unknown option; agent %s --help lists them",
				 own->command, word, own->command);
	nearest_init(&nearest, word + 2, strcspn(word + 2, "="));
	for (size_t i = 0; i < own->count; i++)
		if (own->rows[i].name)
			nearest_offer(&nearest, own->rows[i].name);
	if (nearest.word)
		return error_set(err, -EINVAL, "%s: %s: unknown option (did you mean --%s?)",
				 own->command, word, nearest.word);
	return error_set(err, -EINVAL, "%s: %s: unknown option; agent %s --help lists them",
			 own->command, word, own->command);
}

static int set_row(const struct own_options *own, const struct own_row *row, const char *value,
		   void *options, struct error *err)
{
	void *place = (char *)options + row->offset;

	switch (row->value) {
	case OWN_TEXT:
		*(const char **)place = value;
		return 0;
	case OWN_FLAG:
		*(bool *)place = true;
		return 0;
	case OWN_COUNT:
		if (value_read_count(value, UINT32_MAX, place) == 0)
			return 0;
		return error_set(err, -EINVAL, "%s: --%s %s: expected a number from 1",
				 own->command, row->name, value);
	case OWN_SET:
		return row->set(options, value, err);
	}
	return 0;
}

/*
 * Sets all options. Words that are none are moved to the begin of argv, behind the command: those
 * places were read. Their number is set, and with what follows the options they end at optind.
 */
static int set_rows(const struct own_options *own, int argc, char **argv, void *options, int *words,
		    struct error *err)
{
	char letters[3 * OWN_ROWS_MAX + 3];
	struct option names[OWN_ROWS_MAX + 1];
	int code, begin = 1, last = 0, r = 0;

	make_tables(own, letters, names);
	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct own_row *row = code == ':' || code == '?' ? NULL : find_row(own, code);

		if (code == CODE_WORD) {
			argv[++*words] = optarg;
			last = begin;
		} else if (last == begin - 1 &&
			   command_line_is_operand(*words ? argv[*words] : "")) {
			r = error_set(err, -EINVAL, "%s: %s behind '%s': %s", own->command,
				      argv[begin], argv[*words], command_line_operand_hint);
		} else {
			r = row ? set_row(own, row, optarg, options, err)
				: reject(own, code, argv[begin], err);
		}
		begin = optind;
	}
	return r;
}

int own_options_read(const struct own_options *own, int argc, char **argv, void *options,
		     struct error *err)
{
	int words = 0, r;

	own->reset(options);
	r = set_rows(own, argc, argv, options, &words, err);
	if (r == 0 && !*(const bool *)((const char *)options + own->help)) {
		/* To those that "--" precedes. */
		memmove(argv + optind - words, argv + 1, (size_t)words * sizeof(*argv));
		r = own->complete(options, argc - optind + words, argv + optind - words, err);
	}
	if (r && own->finish)
		own->finish(options);
	return r;
}

static void print_help(const struct own_options *own)
{
	puts(own->usage);
	for (size_t i = 0; i < own->count; i++) {
		const struct own_row *row = &own->rows[i];
		char letter[8] = "", name[64];

		if (row->letter)
			snprintf(letter, sizeof(letter), row->name ? "-%c, " : "-%c", row->letter);
		snprintf(name, sizeof(name), "%s%s%s%s%s", letter, row->name ? "--" : "",
			 row->name ? row->name : "", row->argument && !may_lack(row) ? " " : "",
			 row->argument ? row->argument : "");
		printf("  %-30s %s\n", name, row->help);
	}
}

bool own_options_begin(const struct own_options *own, const struct options *agent, void *options,
		       int *code)
{
	struct error err = {""};
	int r;

	/* As its options are others than those of the agent. */
	if (agent->argc < 2 || strcmp(agent->argv[1], own->command) != 0)
		r = error_set(&err, -EINVAL, "%s comes first, and its options behind it",
			      own->command);
	else
		r = own_options_read(own, agent->argc - 1, agent->argv + 1, options, &err);
	if (r) {
		*code = command_fail(EXIT_USAGE, &err);
		return false;
	}
	if (!*(const bool *)((const char *)options + own->help))
		return true;
	print_help(own);
	if (own->finish)
		own->finish(options);
	*code = command_finish_output();
	return false;
}
