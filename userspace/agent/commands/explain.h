/* SPDX-License-Identifier: MIT */
/* The option --explain: prints what would be captured, and why. */
#ifndef AGENT_COMMANDS_EXPLAIN_H
#define AGENT_COMMANDS_EXPLAIN_H

#include "agent/options/options.h"

/*
 * Prints the plan to stdout, without privileges, then loads its programs and prints them with their
 * hooks. Returns the exit code of the agent.
 */
int explain_run(const struct options *options);

#endif
