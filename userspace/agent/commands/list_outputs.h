/* SPDX-License-Identifier: MIT */
/* The command `agent outputs`: the kinds of outputs with their keys. */
#ifndef AGENT_COMMANDS_LIST_OUTPUTS_H
#define AGENT_COMMANDS_LIST_OUTPUTS_H

struct options;

/* Returns the exit code of the agent. */
int list_outputs_run(const struct options *options);

#endif
