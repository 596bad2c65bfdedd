/* SPDX-License-Identifier: MIT */
/* The sub-command events. */
#ifndef AGENT_COMMANDS_LIST_EVENTS_H
#define AGENT_COMMANDS_LIST_EVENTS_H

#include "agent/options/options.h"

/*
 * Lists the events whose name the pattern selects, with their parameters. With -v there is a line
 * for each parameter, with the names that its values have; these and the names of parameters are
 * searched too. Returns the exit code of the agent.
 */
int list_events_run(const struct options *options);

#endif
