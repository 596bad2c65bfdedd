/* SPDX-License-Identifier: MIT */
/* From what programs counted, rows and stacks of maps, to a set of stacks. */
#ifndef PROFILE_CAPTURE_COLLECT_H
#define PROFILE_CAPTURE_COLLECT_H

#include "profile/capture/captured_files.h"
#include "profile/capture/captured_processes.h"
#include "profile/capture/kernel_functions.h"

struct collect_job {
	struct captured_files *files; /* borrowed, as what follows */
	struct captured_processes *processes;
	const struct kernel_functions *functions;
	struct stacks *stacks;
	int rows_map, stacks_map, waits_map, shares_map;
	uint64_t *stacks_taken; /* borrowed: how many the map has, which the kernel counts, too */
	struct collected_stack *cache; /* owned: by hash; parts of the set */
	size_t cache_count, cache_used;
	uint32_t pid; /* of whom the stack is that is looked at */
	uint32_t asked_pid; /* who was asked last for files that were closed */
	size_t asked; /* how often, since what follows is added to a set */
};

/*
 * What follows is added to another set: files and processes are added to it when they are used.
 */
void collect_into(struct collect_job *collector, struct stacks *stacks);
void collect_finish(struct collect_job *collector);

/* Adds the rows of all generations but that which is counted now, and removes them. Returns 0 or
 * -errno. */
int collect_rows(struct collect_job *collector, uint8_t generation);

/*
 * Removes stacks that were not used in that generation, nor in the one before; not those of threads
 * that wait. Shares have those that stay. Returns 0 or -ENOMEM.
 */
int collect_remove_stacks(struct collect_job *collector, uint8_t generation);

/* Adds threads that wait, as rows from a time to another one (monotonic). */
int collect_waits(struct collect_job *collector, uint64_t begin_ns, uint64_t now_ns);

#endif
