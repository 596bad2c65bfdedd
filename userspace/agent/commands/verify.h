/* SPDX-License-Identifier: MIT */
/* The command `agent verify`: proves that records of outputs are complete. */
#ifndef AGENT_COMMANDS_VERIFY_H
#define AGENT_COMMANDS_VERIFY_H

struct options;

/* Returns the exit code of the agent: a failure if something is missing that no drop record says. */
int verify_run(const struct options *options);

#endif
