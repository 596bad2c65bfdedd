/* SPDX-License-Identifier: MIT */
/* The sub-command check-rules. */
#ifndef AGENT_COMMANDS_CHECK_RULES_H
#define AGENT_COMMANDS_CHECK_RULES_H

#include "agent/options/options.h"

/*
 * Loads the rules of all files and prints what is wrong with them, and what they are in numbers.
 * Returns the exit code of the agent: 1 with errors.
 */
int check_rules_run(const struct options *options);

#endif
