/* SPDX-License-Identifier: MIT */
/*
 * The subcommand completion: a script for a shell, made of the tables of options and subcommands.
 * Fields and events change with neither: the script asks the agent for them.
 */
#ifndef AGENT_COMMANDS_COMPLETION_H
#define AGENT_COMMANDS_COMPLETION_H

#include "agent/options/options.h"

/* The i-th shell, or NULL. */
const char *completion_shell(unsigned int i);

/* Prints the script for the shell that the operand names. Returns the exit code of the agent. */
int completion_run(const struct options *options);

#endif
