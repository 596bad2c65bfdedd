/* SPDX-License-Identifier: MIT */
/* The capabilities that the agent uses, what for, and those that a thread has. */
#ifndef AGENT_PRIVILEGES_CAPABILITIES_H
#define AGENT_PRIVILEGES_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* The bit of CAP_x in a set. */
#define CAPABILITY(number) (UINT64_C(1) << (number))

/* What capabilities are used for. Bits. */
enum capability_use {
	USED_TO_LOAD = 1 << 0, /* programs, at the start and at a reload */
	USED_FOR_RINGS = 1 << 1, /* opening ring buffers: then, too, and when a CPU goes online */
	USED_TO_MAP = 1 << 5, /* mapping these */
	USED_TO_READ = 1 << 2, /* files of others, during the whole run */
	USED_FOR_PROCESSES = 1 << 3, /* what /proc has of other processes, during the whole run */
	USED_TO_DROP = 1 << 4, /* privileges themselves */
};

struct capability {
	unsigned int number;
	const char *name; /* as in capabilities(7), without CAP_ */
	unsigned int use;
	const char *need; /* what for */
	bool by_admin; /* CAP_SYS_ADMIN has the same effect */
	bool if_old; /* only before Linux 5.11 */
};

extern const struct capability capabilities[];
extern const size_t capabilities_count;

/* Bit n stands for the capability with the number n. */
struct capability_sets {
	uint64_t effective, permitted, inheritable, bounding, ambient;
};

/* Reads those of the calling thread. Returns 0 or -errno. */
int capability_sets_read(struct capability_sets *sets);

/* Whether a set allows what a row is needed for. */
bool capability_is_in(const struct capability *row, uint64_t set);

/* Those of all rows that are used for one of these, of the running kernel. */
uint64_t capabilities_for(unsigned int use);

/*
 * Limits the calling thread to `keep`, of what it has; it cannot gain any other from then on.
 * Returns 0 or -errno.
 */
int capabilities_limit(uint64_t keep);

/* Appends "BPF, PERFMON, 13": names of the table, numbers for others; "none" for an empty set. */
void capabilities_append(uint64_t set, struct buf *out);

/* Whether the running kernel counts maps as locked memory, as those before 5.11 do. */
bool capabilities_kernel_locks_maps(void);

#endif
