/* SPDX-License-Identifier: MIT */
/* The command line as given by the user, between reading and checking. */
#ifndef AGENT_OPTIONS_COMMAND_LINE_H
#define AGENT_OPTIONS_COMMAND_LINE_H

#include "agent/options/settings.h"
#include "agent/options/subcommand.h"
#include "util/error.h"

struct command_line {
	const struct subcommand *subcommands;
	struct settings settings; /* owned */
	char **words; /* owned: those that are no options, and NULL */
	char **behind; /* what follows "--", and NULL; NULL: no "--" */
};

/*
 * Reads options and words, and checks each value. Stops at an option for a command that ignores the
 * rest. The arguments must outlive the line. Returns 0, or -EINVAL or -ENOMEM with a message;
 * release with command_line_finish() in every case.
 */
int command_line_read(struct command_line *line, int argc, char **argv,
		      const struct subcommand *subcommands, struct error *err);
void command_line_finish(struct command_line *line);

#endif
