/* SPDX-License-Identifier: MIT */
/*
 * The subcommand completion: prints a script for a shell, built from the tables of options and
 * subcommands. The script runs the agent to get fields and events.
 */
#ifndef AGENT_COMMANDS_COMPLETION_H
#define AGENT_COMMANDS_COMPLETION_H

#include "agent/options/options.h"

/* The i-th shell, or NULL. */
const char *completion_shell(unsigned int i);

/* Prints the script for the shell named by the operand. Returns the exit code of the agent. */
int completion_run(const struct options *options);

#endif
