/* SPDX-License-Identifier: MIT */
/* `agent [FILTER]`: captures, or reads a capture file. */
#ifndef AGENT_COMMANDS_CAPTURE_H
#define AGENT_COMMANDS_CAPTURE_H

#include "agent/options/options.h"

/* Returns the exit code of the agent. */
int capture_run(const struct options *options);

#endif
