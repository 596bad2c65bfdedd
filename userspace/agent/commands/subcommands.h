/* SPDX-License-Identifier: MIT */
/* The table of subcommands. */
#ifndef AGENT_COMMANDS_SUBCOMMANDS_H
#define AGENT_COMMANDS_SUBCOMMANDS_H

#include "agent/options/options.h"

/* Sorted by name; the last one has none. */
extern const struct agent_subcommand subcommands[];

#endif
