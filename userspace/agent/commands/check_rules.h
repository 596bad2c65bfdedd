/* SPDX-License-Identifier: MIT */
/* The subcommand check-rules. */
#ifndef AGENT_COMMANDS_CHECK_RULES_H
#define AGENT_COMMANDS_CHECK_RULES_H

#include "agent/options/options.h"

/*
 * Loads the rules of all files and prints errors, warnings and the numbers of definitions. Returns
 * the exit code of the agent: 1 if there are errors.
 */
int check_rules_run(const struct options *options);

#endif
