/* SPDX-License-Identifier: MIT */
/* The subcommand events. */
#ifndef AGENT_COMMANDS_LIST_EVENTS_H
#define AGENT_COMMANDS_LIST_EVENTS_H

#include "agent/options/options.h"

/*
 * Lists the events whose name the pattern selects, with their parameters. With -v prints a line for
 * each parameter with the names of its values; the pattern then also selects by these names and
 * those of parameters. Returns the exit code of the agent.
 */
int list_events_run(const struct options *options);

#endif
