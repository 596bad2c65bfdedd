/* SPDX-License-Identifier: MIT */
/* What `agent profile` prints: a profile with names, in a format; and what it lacks. */
#ifndef AGENT_COMMANDS_PROFILE_PRINT_H
#define AGENT_COMMANDS_PROFILE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "agent/tools/profile_options.h"
#include "profile/stacks.h"
#include "util/buf.h"
#include "util/error.h"

/* What is read and opened before the capture, so that what is wrong costs none. Zeroed: nothing. */
struct profile_output {
	FILE *file; /* owned, or standard output; what it had stays until something is written */
	struct buf before; /* owned: the profile to compare with */
};

/* Opens what the options name. Returns 0, or -errno with a message; close it in each case. */
int profile_output_open(const struct profile_options *options, struct profile_output *output,
			struct error *err);
void profile_output_close(struct profile_output *output);

struct profile_printing {
	const struct profile_options *options; /* borrowed, as the rest */
	int proc; /* a descriptor of the folder of processes */
	/* Whether to find no more names; NULL: as long as it takes. */
	bool (*is_over)(void *context);
	void *context;
};

/*
 * Names the stacks and writes them as the options say; to standard error what was lost. Returns 0,
 * or -errno with a message.
 */
int profile_print(const struct profile_printing *printing, struct profile_output *output,
		  const struct stacks *stacks, struct error *err);

#endif
