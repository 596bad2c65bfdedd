/* SPDX-License-Identifier: MIT */
/*
 * The process that loads programs for this one, which drops the privileges for that. It is forked
 * before there are threads, has only what its role takes, and ends when this process does.
 */
#ifndef AGENT_PROCESS_LOADER_H
#define AGENT_PROCESS_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/live/loader.h"
#include "util/error.h"

/* Zeroed: there is none. */
struct loader {
	struct loader_client client;
	pid_t pid; /* 0: there is none */
	bool ended; /* noticed */
	uint64_t check_due_ns;
};

/* Starts it; privileges_set() was called. Returns 0 or -errno with a message. */
int loader_start(struct loader *loader, struct error *err);

/* Whether it runs; looks once a second at most. `now_ns`: monotonic clock. */
bool loader_runs(struct loader *loader, uint64_t now_ns);

/* Ends it; no thread uses it any more. */
void loader_finish(struct loader *loader);

#endif
