/* SPDX-License-Identifier: MIT */
/*
 * What the kernel holds of a capture, as plain descriptors; and who creates it, which takes
 * privileges: this process (load.c), or another one that hands them over (loader.h).
 */
#ifndef SCAP_LIVE_LOADED_H
#define SCAP_LIVE_LOADED_H

#include <stddef.h>
#include <stdint.h>

#include "scap/live/live.h"

enum live_part_kind { LIVE_MAP, LIVE_PROGRAM, LIVE_LINK, LIVE_ITERATOR, LIVE_PART_KINDS };

/* Rows of parts that are maps. */
enum live_map {
	LIVE_MAP_RINGS,
	LIVE_MAP_BACKWARD_RINGS,
	LIVE_MAP_SCRATCH,
	LIVE_MAP_BELL,
	LIVE_MAP_COUNTERS,
	LIVE_MAP_DRIVER_COUNTERS,
	LIVE_MAP_PROCESS_RATES,
	LIVE_MAP_GROUP_RATES,
	LIVE_MAP_SHARES,
	LIVE_MAP_SHED,
	LIVE_MAP_REJECTED_GROUPS,
	LIVE_MAP_ANSWERS,
	LIVE_MAP_FOLLOWED,
	LIVE_MAP_MUTED,
	LIVE_MAP_STREAM_LIMITS,
	LIVE_MAP_TLS_NOTES,
	LIVE_MAP_CALL_ROWS,
	LIVE_MAP_CALL_ROW_USERS,
	LIVE_MAP_OTHER, /* only kept, and counted */
	LIVE_MAPS,
};

struct live_part {
	int fd; /* owned */
	uint16_t kind; /* enum live_part_kind */
	uint16_t
		row; /* enum live_map; of live_programs: in its order; of enum scap_live_iterator */
};

struct live_loaded {
	struct live_part *parts; /* owned */
	size_t count;
	uint32_t cpus; /* possible ones: the scratch slots are of these */
	int32_t enter_error; /* why no programs run on entry of calls: -errno; 0: they run */
	int32_t sends_error; /* why no programs note where datagrams go: likewise */
	enum live_hooks call_hooks; /* those that are used */
	enum live_uring uring;
	int32_t cgroup_roots; /* see live_cgroup_roots_run() */
	int32_t own_groups; /* see live_own_groups_run() */
	int32_t iterator_errors[SCAP_LIVE_ITERATORS]; /* why there is none: -errno; or 0 */
	int32_t filters_error; /* why not all threads' seccomp filters were scanned: -errno; or 0 */
	bool rejected[EVENT_ID_MAX]; /* events that are missing, all or some */
};

/* Takes the descriptor, which is closed on failure. Returns 0 or -ENOMEM. */
int live_loaded_add(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row, int fd);

/* The descriptor of the first part of a kind and row; -1: there is none. */
int live_loaded_find(const struct live_loaded *loaded, enum live_part_kind kind, uint16_t row);

/* The loaded program number `i`, or NULL. */
const struct live_part *live_loaded_program(const struct live_loaded *loaded, unsigned int i);

/* The kernel's id of a map, program or link; 0: it has none, or it cannot be read. */
uint32_t live_part_id(const struct live_part *part);

struct bpf_prog_info;

/* Asks the kernel about a program. Returns 0 or -errno. */
int live_part_info(const struct live_part *program, struct bpf_prog_info *info);

/* How often programs did not run, as they ran already on that CPU; 0 before Linux 5.12. */
uint64_t live_loaded_misses(const struct live_loaded *loaded);

/* How long programs that are hooked have run, with those that they jump to. Returns 0 or -errno. */
int live_loaded_run_ns(const struct live_loaded *loaded, uint64_t *ns);

/* The memory of all maps in bytes, as the kernel accounts for it, or -errno. */
int64_t live_loaded_map_bytes(const struct live_loaded *loaded);

/* Removes the first part of a kind and row. Its descriptor is the caller's; -1: there is none. */
int live_loaded_take(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row);

/* Closes and removes the parts of one kind, the latest first. Returns whether there were any. */
bool live_loaded_close(struct live_loaded *loaded, enum live_part_kind kind);

/* Closes all; `loaded` is empty then. */
void live_loaded_finish(struct live_loaded *loaded);

/* Closes all, by who has the last descriptors of the programs: a few are freed at a time. */
void live_loaded_end(struct live_loaded *loaded);

/* Waits until no program runs that did when it was called; what was closed can be freed then. */
void live_wait_for_programs(void);

/*
 * To be called behind each program that may have been closed for the last time, `closed` of them
 * with this one: waits where the next one would be too many for the kernel, see loaded.c.
 */
void live_wait_for_frees(size_t closed);

struct live_loader;

/*
 * Loads one capture at a time: load(), open_ring() for each CPU, attach(), release(). Functions
 * return 0 or -errno with a message unless they say else.
 */
struct live_loader_ops {
	/* Adds maps and programs. Programs that the kernel rejects are left out. */
	int (*load)(struct live_loader *loader, const struct scap_live_config *config,
		    uint64_t boot_offset_ns, struct live_loaded *loaded, struct error *err);

	/*
	 * Returns the perf event of a CPU; -ENODEV if it is not online. At any time. backward: see
	 * scap_backward_open_event().
	 */
	int (*open_ring)(struct live_loader *loader, unsigned int cpu, uint32_t bytes,
			 bool backward, struct error *err);

	/* Adds the links of what was loaded last: the programs run from then on. */
	int (*attach)(struct live_loader *loader, struct live_loaded *loaded, struct error *err);

	/* Frees what only attach() needs; what was handed over remains. */
	void (*release)(struct live_loader *loader);
};

struct live_loader {
	const struct live_loader_ops *ops;
};

#endif
