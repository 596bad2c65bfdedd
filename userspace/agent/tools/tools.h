/* SPDX-License-Identifier: MIT */
/*
 * Names of bcc's tools as commands: each is a view, and its options are parts of a filter, columns
 * and options of captures. A row says which; the rest of the agent sees `agent view NAME ...`.
 */
#ifndef AGENT_COMMANDS_TOOLS_H
#define AGENT_COMMANDS_TOOLS_H

#include <stdbool.h>

#include "util/error.h"

struct tool;

/* The tool of that name, or NULL. */
const struct tool *tools_find(const char *name);

/* The i-th name, or NULL after the last one. */
const char *tools_name(unsigned int i);

/* A command line that was made; release with tools_line_finish(). */
struct tools_line {
	int argc;
	char **argv; /* owned, and its texts */
	bool help; /* that is asked for: print it instead */
};

/*
 * Makes the command line of a view of that of a tool, whose name argv[1] is. Returns 0, or -errno
 * with a message.
 */
int tools_translate(const struct tool *tool, int argc, char **argv, struct tools_line *line,
		    struct error *err);
void tools_line_finish(struct tools_line *line);

/* Prints what the options of a tool are. */
void tools_print_help(const struct tool *tool);

#endif
