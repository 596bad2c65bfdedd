/* SPDX-License-Identifier: MIT */
/*
 * Whose stacks a profile has: a filter on fields of processes, users, containers and pods, and the
 * names of containers. Processes are looked at when they are first seen; what is not known of a
 * container then is decided, and named, at the end.
 */
#ifndef AGENT_TOOLS_PROFILE_WHO_H
#define AGENT_TOOLS_PROFILE_WHO_H

#include <stdbool.h>

#include "agent/input/host.h"
#include "agent/options/options.h"
#include "profile/stacks.h"
#include "util/error.h"

struct profile_who;

struct profile_who_config {
	const struct options *options; /* borrowed, as the rest: which runtimes are asked */
	const struct host *host;
	const char *filter; /* NULL: all are wanted */
	const char *container; /* its id, or the begin of it: of no others; NULL: of any and none */
};

/* Returns 0; -EINVAL with a message, as the filter is none; or -errno with a message. */
int profile_who_open(const struct profile_who_config *config, struct profile_who **who,
		     struct error *err);
void profile_who_close(struct profile_who *who); /* accepts NULL */

/*
 * Sets the container of a process that was just seen, with texts that are valid until the next
 * call. Returns false if none of its stacks is wanted.
 */
bool profile_who_describe(struct profile_who *who, struct stack_process *process);

/*
 * The capture is complete: removes rows that are not wanted, and sets the names of containers and
 * pods. Waits for what runtimes and Kubernetes have not answered, a second at most. Returns 0 or
 * -ENOMEM.
 */
int profile_who_decide(struct profile_who *who, struct stacks *stacks);

/* What was not decided as it could not be known, as lines to standard error. */
void profile_who_print_lacks(const struct profile_who *who);

#endif
