/* SPDX-License-Identifier: MIT */
/* The command `agent reload`. */
#ifndef AGENT_COMMANDS_RELOAD_H
#define AGENT_COMMANDS_RELOAD_H

#include "agent/options/options.h"

int reload_run(const struct options *options);

#endif
