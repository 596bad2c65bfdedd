/* SPDX-License-Identifier: MIT */
/* Prints the version. */
#include "agent/commands/version.h"

#include <stdio.h>

#include "agent/commands/command.h"
#include "util/version.h"

int version_run(const struct options *options)
{
	puts("agent (Lanner) " LANNER_VERSION);
	return command_finish_output();
}
