/* SPDX-License-Identifier: MIT */
/*
 * Profiles that are taken all the time (option --profile): by a process of its own, since it reads
 * files that others chose. Another process, which does nothing else, starts it, and again when it
 * dies; both end with the agent.
 */
#ifndef AGENT_CONTINUOUS_CONTINUOUS_H
#define AGENT_CONTINUOUS_CONTINUOUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/options/continuous.h"
#include "net/exposition.h"
#include "util/error.h"

struct continuous_counts;

/* Zeroed: no profiles are taken. */
struct continuous {
	pid_t pid; /* of the process that starts the other one; 0: none */
	int alive; /* closing it ends them */
	struct continuous_counts *counts; /* shared with them */
	uint64_t check_due_ns;
	bool ended; /* noticed */
};

/*
 * Starts them if the options want it; privileges_set() was called, and there are no threads.
 * host_root: as host_open() takes it. Returns 0, or -errno with a message.
 */
int continuous_start(const struct continuous_options *options, const char *host_root,
		     struct continuous *continuous, struct error *err);

/* Says it once if they have ended by themselves; now_ns: monotonic. */
void continuous_step(struct continuous *continuous, uint64_t now_ns);

void continuous_append_metrics(const struct continuous *continuous, struct exposition *exposition);

/* Has the last profile written, and ends them within seconds. */
void continuous_finish(struct continuous *continuous);

#endif
