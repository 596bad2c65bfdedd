/* SPDX-License-Identifier: MIT */
/* The subcommand version and the option of that name. */
#ifndef AGENT_COMMANDS_VERSION_H
#define AGENT_COMMANDS_VERSION_H

struct options;

/* Prints one line. Returns the exit code of the agent. */
int version_run(const struct options *options);

#endif
