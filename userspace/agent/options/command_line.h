/* SPDX-License-Identifier: MIT */
/* The command line as it was given, between reading it and checking it. */
#ifndef AGENT_OPTIONS_COMMAND_LINE_H
#define AGENT_OPTIONS_COMMAND_LINE_H

#include "agent/options/subcommand.h"
#include "agent/options/options.h"
#include "agent/options/row.h"
#include "util/error.h"

/* By which of its names an option was given, the last time: messages use that one. */
enum option_given { GIVEN_NOT, GIVEN_LETTER, GIVEN_NAME };

struct command_line {
	const struct subcommand *subcommands;
	enum option_given given[OPTIONS_MAX]; /* by the places of rows */
	char **words; /* those that are no options, and NULL; room for all there are and NULL */
	char **behind; /* what follows "--", and NULL; NULL: there is no "--" */
};

/* The name of an option with its dashes, as it was given. The text lives in `memory`. */
enum { OPTION_TEXT_MAX = 32 };
const char *option_text(const struct option_row *row, enum option_given given,
			char memory[static OPTION_TEXT_MAX]);

/*
 * Stores the values of all options. Ends early at an option for a command that does not look at
 * what follows. Returns 0, or -EINVAL or -ENOMEM with a message.
 */
int command_line_read(struct command_line *line, int argc, char **argv, struct options *options,
		      struct error *err);

/* Rejects options that the command does not take. */
int command_line_check_subcommand(const struct command_line *line, const struct subcommand *command,
			       struct error *err);

/*
 * Rejects options of a capture that contradict each other or are about something that is not
 * there; decides whether what is recorded is printed as well.
 */
int command_line_check_capture(const struct command_line *line, struct options *options,
			       struct error *err);

#endif
