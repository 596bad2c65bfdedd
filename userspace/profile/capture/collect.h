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
	int rows_map, stacks_map, waits_map;
	struct collected_stack *cache; /* owned: by hash; parts of the set */
	size_t cache_count, cache_used;
};

/*
 * What follows is added to another set: files and processes are added to it when they are used.
 */
void collect_into(struct collect_job *collector, struct stacks *stacks);
void collect_finish(struct collect_job *collector);

/* Adds the rows of a generation, and removes them. Returns 0 or -errno. */
int collect_rows(struct collect_job *collector, uint8_t generation);

/* Removes stacks that were used last in a generation; not those of threads that wait. */
int collect_remove_stacks(struct collect_job *collector, uint8_t generation);

/* Adds threads that wait, as rows up to a time (monotonic). */
int collect_waits(struct collect_job *collector, uint64_t now_ns);

#endif
