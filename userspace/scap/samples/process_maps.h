/* SPDX-License-Identifier: MIT */
/*
 * Which files processes execute where: mappings, by process. They come from records of perf events
 * as they are made, and of processes that were there before from /proc.
 */
#ifndef SCAP_SAMPLES_PROCESS_MAPS_H
#define SCAP_SAMPLES_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* With more, or more of their mappings, all are forgotten, and learnt anew. */
	PROCESSES_MAX = 1 << 16,
	PROCESS_MAPS_BYTES_MAX = 128 << 20,
	MAPPINGS_MAX = 1024, /* of a process; more are left out */
	PROCESS_PLACES = 2 * PROCESSES_MAX,
	PROCESS_GROUP = 64, /* places whose memory is taken together */
};

struct process_mapping {
	uint64_t begin, end; /* addresses */
	uint64_t offset; /* of `begin` in the file */
	uint32_t file; /* a number of the caller's */
};

/* Shared by processes that were forked. */
struct process_mappings {
	unsigned int users;
	size_t count, capacity;
	struct process_mapping list[]; /* by address, none over another */
};

enum process_maps_state {
	MAPPED_UNKNOWN,
	MAPPED_ASKED, /* somebody reads them */
	MAPPED_KNOWN,
	MAPPED_NEVER, /* they could not be read */
};

struct process_entry {
	int32_t pid; /* 0: a free place */
	uint64_t *bytes; /* those of all mappings */
	enum process_maps_state state;
	struct process_mappings *mappings; /* NULL: none */
	uint64_t begun_ns; /* when the read began: later ones are not sure to be in it, and are
			      added */
	uint64_t read_ns; /* when it was over: none is later, but those that were added */
	uint64_t added_ns; /* while asked: of the latest mapping, which may not be in the answer */
	uint8_t discards; /* answers in a row that were older than such a mapping */
	uint64_t ask_due_ns; /* while unknown: not asked before */
	uint64_t exec_ns; /* of a program that is yet to begin in the order of records; 0: none */
};

/* Zeroed: empty; it must not move then. */
struct process_maps {
	struct process_entry *groups[PROCESS_PLACES / PROCESS_GROUP]; /* owned; NULL: all free */
	size_t count;
	uint64_t bytes; /* of mappings */
	uint64_t forgotten; /* times that all were */
};

/* All times are of one clock. */

/* The process, or NULL. */
struct process_entry *process_maps_find(struct process_maps *maps, int32_t pid);

/* The same; it is added if it is not there. NULL: there is no memory, or it is no process. */
struct process_entry *process_maps_get(struct process_maps *maps, int32_t pid);

/* A program begins at a time: nothing is mapped then, but what was read later. */
void process_maps_exec(struct process_entry *process, uint64_t time_ns);

/*
 * The child has what its parent has, whatever is known of an earlier process with its id; but not
 * what was read of the parent after the time of the fork.
 */
void process_maps_fork(struct process_maps *maps, int32_t parent, int32_t child, uint64_t time_ns);

/*
 * Records were lost: what is mapped, and what is being read that was read before the time, is not
 * known any more. Which programs are yet to begin is.
 */
void process_maps_forget(struct process_maps *maps, uint64_t time_ns);

void process_maps_end(struct process_maps *maps, int32_t pid);

/* Adds a mapping, in place of what was there. Returns 0; -ENOMEM; -E2BIG. */
int process_maps_add(struct process_entry *process, const struct process_mapping *mapping);

/* The mapping that has an address, or NULL. */
const struct process_mapping *process_maps_at(const struct process_entry *process,
					      uint64_t address);

void process_maps_finish(struct process_maps *maps);

#endif
