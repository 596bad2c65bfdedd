/* SPDX-License-Identifier: MIT */
/* The command `agent check-config`. */
#ifndef AGENT_COMMANDS_CHECK_CONFIG_H
#define AGENT_COMMANDS_CHECK_CONFIG_H

#include "agent/options/options.h"

int check_config_run(const struct options *options);

#endif
