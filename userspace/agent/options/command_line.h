/* SPDX-License-Identifier: MIT */
/* Parses the command line into options. */
#ifndef AGENT_OPTIONS_COMMAND_LINE_H
#define AGENT_OPTIONS_COMMAND_LINE_H

#include "agent/options/options.h"
#include "agent/options/settings.h"
#include "util/buf.h"
#include "util/error.h"
#include "yaml/report.h"

/* The command line as given by the user, between reading and checking. */

struct command_line {
	const struct agent_subcommand *subcommands;
	struct settings settings; /* owned */
	struct buf filter; /* what options of other programs add to the filter */
	char **words; /* owned: those that are no options, and NULL */
	char **behind; /* what follows "--", and NULL; NULL: no "--" */
};

/*
 * Reads options and words, and checks each value. Stops at an option for a command that ignores the
 * rest. The arguments must outlive the line. Returns 0, or -EINVAL or -ENOMEM with a message;
 * release with command_line_finish() in every case.
 */
int command_line_read(struct command_line *line, int argc, char **argv,
		      const struct agent_subcommand *subcommands, struct error *err);
void command_line_finish(struct command_line *line);

/* Whether what follows a word is a value in a filter: "-2" behind "evt.rawres =". */
bool command_line_is_operand(const char *before);

/* What to do about one that looks like an option. */
extern const char command_line_operand_hint[];

/* Makes options of a command line, and of settings that files have. */

/*
 * Takes over the settings of files. Options that do not fit together are errors in the report if a
 * file has them, others have a message in `err`, where the first error stays. Returns 0, or -EINVAL
 * or -ENOMEM; release with options_finish() in every case.
 */
int options_parse(struct command_line *line, struct settings *files, struct yaml_report *report,
		  struct options *options, struct error *err);

#endif
