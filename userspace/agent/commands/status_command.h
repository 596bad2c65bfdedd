/* SPDX-License-Identifier: MIT */
/* agent status: prints the status of an agent that runs. */
#ifndef AGENT_COMMANDS_STATUS_COMMAND_H
#define AGENT_COMMANDS_STATUS_COMMAND_H

struct options;

/* Where agents that run as a service serve their pages. */
#define STATUS_ADDRESS "unix:/run/lanner/agent.sock"

int status_run(const struct options *options);

#endif
