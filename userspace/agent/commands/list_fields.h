/* SPDX-License-Identifier: MIT */
/* The subcommand fields. */
#ifndef AGENT_COMMANDS_LIST_FIELDS_H
#define AGENT_COMMANDS_LIST_FIELDS_H

#include "agent/options/options.h"

/*
 * Lists the fields whose name (with -v also help text) the pattern selects, each with an example.
 * Returns the exit code of the agent.
 */
int list_fields_run(const struct options *options);

#endif
