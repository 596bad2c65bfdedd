/* SPDX-License-Identifier: MIT */
/* Reads them with getopt_long(3), whose tables are made of the rows. */
#include "agent/tools/own_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"
#include "util/value.h"

enum { CODE_NAME = 256 };

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

/* Options end at the first word that is none. */
static void make_tables(const struct own_options *own, char letters[3 * OWN_ROWS_MAX + 3],
			struct option names[OWN_ROWS_MAX + 1])
{
	size_t count = 0;

	*letters++ = '+';
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

int own_options_check_place(const char *command, const struct options *options, struct error *err)
{
	/* As its options are others than those of the agent. */
	if (options->argc >= 2 && strcmp(options->argv[1], command) == 0)
		return 0;
	return error_set(err, -EINVAL, "%s comes first, and its options behind it", command);
}

int own_options_read(const struct own_options *own, int argc, char **argv, void *options,
		     int *operands, struct error *err)
{
	char letters[3 * OWN_ROWS_MAX + 3];
	struct option names[OWN_ROWS_MAX + 1];
	int code, r = 0;

	make_tables(own, letters, names);
	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct own_row *row = code == ':' || code == '?' ? NULL : find_row(own, code);

		r = row ? set_row(own, row, optarg, options, err)
			: reject(own, code, argv[optind - 1], err);
	}
	*operands = optind;
	return r;
}

void own_options_print_help(const struct own_options *own)
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
