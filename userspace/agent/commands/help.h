/* SPDX-License-Identifier: MIT */
/* The subcommand help and the option of that name. */
#ifndef AGENT_COMMANDS_HELP_H
#define AGENT_COMMANDS_HELP_H

#include "agent/options/options.h"

/* The i-th word that can follow "help", or NULL. */
const char *help_word(unsigned int i);

/*
 * Prints the common options, on one screen; with the operand "all", all options and subcommands.
 * Returns the exit code of the agent.
 */
int help_run(const struct options *options);

#endif
