/* SPDX-License-Identifier: MIT */
/* How much memory the agent may take: --memory-limit, or the limit of its own control group. */
#ifndef AGENT_PROCESS_MEMORY_LIMIT_H
#define AGENT_PROCESS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
