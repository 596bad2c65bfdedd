/* SPDX-License-Identifier: MIT */
/*
 * Processes that were seen while a profile was captured, described when the kernel first sees
 * them: what /proc has of them is gone when they have ended.
 */
#ifndef PROFILE_CAPTURE_CAPTURED_PROCESSES_H
#define PROFILE_CAPTURE_CAPTURED_PROCESSES_H

#include "profile/stacks.h"
#include "profile_abi.h"

struct captured_process {
	struct profile_process_key key;
	struct stack_process process; /* texts are of captured_processes.texts; no descriptor */
	uint32_t in_set; /* its index in the set of stacks; UINT32_MAX: it is not there */
	bool is_wanted;
};

struct captured_processes {
	int proc; /* borrowed */
	int processes_map; /* borrowed */
	bool (*describe)(void *context, struct stack_process *process); /* NULL: none */
	void *context;
	struct captured_process *list; /* owned */
	size_t count, capacity;
	uint32_t *places; /* owned: by hash, from 1; 0: free */
	size_t places_count;
	struct arena texts;
	uint64_t unread; /* that had ended before */
};

void captured_processes_finish(struct captured_processes *processes);

/* The process, which is described if it is new; NULL if out of memory. */
struct captured_process *captured_processes_get(struct captured_processes *processes,
						const struct profile_process_key *key);

/*
 * The root directory of a process that lives, opened with O_PATH; -1 if it has ended, or that
 * cannot be opened. The caller's.
 */
int captured_processes_open_root(const struct captured_processes *processes,
				 const struct profile_process_key *key);

#endif
