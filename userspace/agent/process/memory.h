/* SPDX-License-Identifier: MIT */
/* What memory and CPU time the agent uses, and its limit. */
#ifndef AGENT_PROCESS_MEMORY_H
#define AGENT_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that only the start needed. */

/*
 * Gives back the free parts of the heap, and the pages of programs and libraries that are as in
 * their files: those that are used again come back, from the page cache. Linking at the start
 * touches pages of all libraries, most of which belong to outputs that this run does not have.
 */
void memory_release(void);

/* How much memory the agent may take: --memory-limit, or the limit of its own control group. */

/*
 * The limit of this process's control groups in bytes, the least from its own to the topmost one;
 * UINT64_MAX: none, or it cannot be read. `root` is before all paths, "" by default.
 */
uint64_t memory_limit_of_groups(const char *root);

/* The limit in bytes. wanted: by an option, or 0; `machine`: its memory. */
uint64_t memory_limit_choose(uint64_t wanted, uint64_t of_groups, uint64_t machine);

/*
 * The part of the limit for threads and descriptors. The rest is for the agent itself, its
 * programs and maps in the kernel, descriptions of containers, and queues of outputs. Who reads a
 * capture file needs nothing else of the machine: asks_groups is false then.
 */
uint64_t memory_limit_of_state(uint64_t wanted, bool asks_groups);

/* What the agent itself uses of the machine. */

struct process_usage {
	uint64_t cpu_ns; /* user and system time of all threads */
	uint64_t resident_bytes;
	uint64_t descriptors; /* that are open */
	uint64_t start_ns; /* since the epoch */
};

/* What cannot be read is 0. */
void process_usage_read(struct process_usage *usage);

#endif
