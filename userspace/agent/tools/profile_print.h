/* SPDX-License-Identifier: MIT */
/* What `agent profile` prints: a profile with names, in a format; and what it lacks. */
#ifndef AGENT_COMMANDS_PROFILE_PRINT_H
#define AGENT_COMMANDS_PROFILE_PRINT_H

#include "agent/tools/profile_options.h"
#include "profile/stacks.h"
#include "util/error.h"

/*
 * Names the stacks and writes them as the options say; to standard error what was lost. proc: a
 * descriptor of the folder of processes, borrowed. Returns 0, or -errno with a message.
 */
int profile_print(const struct profile_options *options, int proc, const struct stacks *stacks,
		  struct error *err);

#endif
