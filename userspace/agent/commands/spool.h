/* SPDX-License-Identifier: MIT */
/* The subcommand `spool`. */
#ifndef AGENT_COMMANDS_SPOOL_H
#define AGENT_COMMANDS_SPOOL_H

#include "agent/options/options.h"

/* The words that follow it: what it does. */
const char *spool_word(unsigned int i);

int spool_run(const struct options *options);

#endif
