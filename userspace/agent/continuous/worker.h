/* SPDX-License-Identifier: MIT */
/* What the process does that takes profiles all the time, until the agent ends. */
#ifndef AGENT_CONTINUOUS_WORKER_H
#define AGENT_CONTINUOUS_WORKER_H

#include "agent/continuous/writer.h"

/* What the process ends with. */
enum worker_end {
	WORKER_ENDED, /* with the agent */
	WORKER_FAILED, /* it has said why */
	WORKER_RENEWS, /* another one is to take its place: it has learned as much as there is room
			  for */
};

struct worker_config {
	const struct continuous_options *options;
	const char *host_root; /* as host_open() takes it */
	struct continuous_counts *counts;
	int alive; /* a descriptor: its end is that of the agent */
};

/* Drops privileges when the capture has begun. */
enum worker_end worker_run(const struct worker_config *config);

#endif
