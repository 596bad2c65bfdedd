/* SPDX-License-Identifier: MIT */
/* The command line as given by the user, between reading and checking. */
#ifndef AGENT_OPTIONS_COMMAND_LINE_H
#define AGENT_OPTIONS_COMMAND_LINE_H

#include "agent/options/subcommand.h"
#include "agent/options/options.h"
#include "agent/options/row.h"
#include "util/error.h"

/* The name that was last used for an option: messages use it, too. */
enum option_given { GIVEN_NOT, GIVEN_LETTER, GIVEN_NAME };

struct command_line {
	const struct subcommand *subcommands;
	enum option_given given[OPTIONS_MAX]; /* by index of row */
	char **words; /* those that are no options, and NULL; has space for all words and NULL */
	char **behind; /* what follows "--", and NULL; NULL: no "--" */
};

/* The name of an option with its dashes, as given. The text is in `memory`. */
enum { OPTION_TEXT_MAX = 32 };
const char *option_text(const struct option_row *row, enum option_given given,
			char memory[static OPTION_TEXT_MAX]);

/*
 * Stores the values of all options. Stops at an option for a command that ignores the rest. Returns
 * 0, or -EINVAL or -ENOMEM with a message.
 */
int command_line_read(struct command_line *line, int argc, char **argv, struct options *options,
		      struct error *err);

/* Rejects options that the command does not take. */
int command_line_check_subcommand(const struct command_line *line, const struct subcommand *command,
			       struct error *err);

/*
 * Rejects options of a capture that contradict each other or lack the option that they refer to;
 * decides whether events that are written are also printed.
 */
int command_line_check_capture(const struct command_line *line, struct options *options,
			       struct error *err);

#endif
