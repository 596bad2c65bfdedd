/* SPDX-License-Identifier: MIT */
/* The subcommand check-filter. */
#ifndef AGENT_COMMANDS_CHECK_FILTER_H
#define AGENT_COMMANDS_CHECK_FILTER_H

#include "agent/options/options.h"

/*
 * Compiles each line of a file as a filter and prints a line for it: "OK" and a tab; or "ERR", a
 * tab, the column (from 1), a tab, and the message. Returns the exit code of the agent.
 */
int check_filter_run(const struct options *options);

#endif
