/* SPDX-License-Identifier: MIT */
/* What the agent itself uses of the machine. */
#ifndef AGENT_PROCESS_PROCESS_USAGE_H
#define AGENT_PROCESS_PROCESS_USAGE_H

#include <stdint.h>

struct process_usage {
	uint64_t cpu_ns; /* user and system time of all threads */
	uint64_t resident_bytes;
	uint64_t descriptors; /* that are open */
	uint64_t start_ns; /* since the epoch */
};

/* What cannot be read is 0. */
void process_usage_read(struct process_usage *usage);

#endif
