/* SPDX-License-Identifier: MIT */
/*
 * The rings of a live capture: one for each online CPU, as CPUs go online and offline, and larger
 * ones for CPUs that fill theirs. Owned by the live source.
 */
#ifndef SCAP_LIVE_LIVE_RINGS_H
#define SCAP_LIVE_LIVE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/live.h"
#include "scap/live/loaded.h"
#include "scap/rings/ring.h"
#include "util/error.h"

struct live_rings {
	/* Set by the caller, before live_rings_open(). */
	struct live_loader *loader; /* borrowed */
	int map; /* borrowed: that of the rings, by CPU */
	struct scratch_slot *slots; /* borrowed, SCRATCH_SLOTS_PER_CPU for each of `cpus` */
	uint32_t cpus; /* possible ones; 0 after live_rings_open() failed before there were rings */
	uint32_t ring_bytes; /* of one that is opened for a CPU */
	uint64_t rings_bytes; /* to which all may grow; 0: they do not grow */
	bool holds; /* processes that fill a ring are stopped */
	uint64_t boot_offset_ns; /* epoch minus boot clock */
	int bell; /* borrowed: the map that programs write to when events are awaited */
	int waker; /* borrowed: what else ends a wait when it is readable; -1: nothing */
	/* The rest is zeros then. */
	struct scap_ring *rings; /* by CPU */
	struct scap_ring
		*replaced; /* by CPU: has a larger successor, until it is read to its end */
	uint64_t *replaced_ts; /* by CPU: when that was; since the epoch */
	bool *online; /* by CPU, when last read */
	uint32_t ringless; /* CPUs that were online then and whose ring could not be opened */
	int ring_error; /* of the first of them: -errno; 0: there was none */
	uint32_t ring_error_cpu;
	uint64_t grow_ns; /* boot clock: none grows before */
	uint64_t account_ns; /* boot clock: when the kernel is asked again which ones are written */
	uint64_t grown; /* rings that were replaced */
	int epoll; /* -1: none */
	struct ring_buffer *rung; /* owned: what was written to the bell */
	bool reports_cpus; /* the event cpu_hotplug is wanted, and the capture runs */
	uint64_t made; /* events of that kind */
};

/*
 * Opens the rings of the CPUs that are online. Returns 0, or -errno with a message. Close it with
 * live_rings_close(), also on failure.
 */
int live_rings_open(struct live_rings *rings, struct error *err);

/* Frees all but `rings` itself. It may be zeros with an `epoll` of -1. */
void live_rings_close(struct live_rings *rings);

/*
 * Opens the rings of CPUs that went online, and detaches those of CPUs that went offline. A ring
 * that cannot be opened does not affect the others. Returns 0, or -errno with the message of the
 * first.
 */
int live_rings_follow(struct live_rings *rings, struct error *err);

/* Lets a descriptor end waits, too, when it is readable. Returns 0 or -errno. */
int live_rings_watch(struct live_rings *rings, int fd);

/* What ended a wait. */
struct live_woken {
	bool rang; /* the bell: see scap_merge_await() */
	bool called; /* by the waker */
};

/* Waits until a ring reaches its watermark, or for those. Returns 0 or -errno. */
int live_rings_wait(struct live_rings *rings, int ms, struct live_woken *woken);

/*
 * Replaces rings that are more than half full by larger ones, and closes those that were replaced
 * and are read to their end. Called after a round of the merge, with its `cutoff_ns`. Returns
 * whether a ring was replaced: then the merge has to begin another round.
 */
bool live_rings_grow(struct live_rings *rings, uint64_t cutoff_ns);

/* Whether none is more than half full. */
bool live_rings_have_room(const struct live_rings *rings);

/* How full the fullest is, in 1/64. */
unsigned int live_rings_fill(const struct live_rings *rings);

/* Fills what is counted here. */
void live_rings_stats(const struct live_rings *rings, struct scap_live_stats *stats);

#endif
