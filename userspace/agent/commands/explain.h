/* SPDX-License-Identifier: MIT */
/* Prints what the kernel decides of the filter. */
#ifndef AGENT_COMMANDS_EXPLAIN_H
#define AGENT_COMMANDS_EXPLAIN_H

#include "abi.h"

/* Prints nothing if there is no such part. */
void explain_filters_print(const struct kernel_filters *filters);

#endif
