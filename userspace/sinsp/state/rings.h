/* SPDX-License-Identifier: MIT */
/*
 * Files that are registered with rings of io_uring. Operations use them by their slots, whether or
 * not any process has a descriptor of them. The table of a ring is one of descriptors, by the
 * numbers that stand for slots (slot_fd_of()).
 */
#ifndef SINSP_STATE_RINGS_H
#define SINSP_STATE_RINGS_H

#include <stdint.h>

#include "sinsp/state/fds.h"
#include "sinsp/state/thread.h"

/* How many rings have a table at once; one more takes the place of one that was not used lately. */
enum { RINGS_WAYS = 4, RINGS_SETS = 256, RINGS_MAX = RINGS_SETS * RINGS_WAYS };

struct state_ring {
	uint64_t number; /* as in struct frame_uring; 0: none */
	uint64_t used; /* when, by state_rings.clock */
	int64_t pid; /* the process whose operation was seen last; -1: not known */
	struct state_fds *slots;
	struct state_fds *before; /* what slots had, see state_rings_doubt(); NULL: nothing */
};

/* A zeroed struct has no rings. */
struct state_rings {
	struct state_ring of[RINGS_MAX]; /* sets of RINGS_WAYS each */
	uint32_t count;
	uint64_t clock; /* counts uses */
	uint64_t dropped; /* tables that gave way to others */
};

/* The table of a ring, or NULL if nothing is known of its files. Ring 0 has none. */
struct state_fds *state_rings_find(struct state_rings *rings, uint64_t ring);

/*
 * The table of a ring, made in the store if there is none; the control group of the first user
 * holds its memory. From now on it ends with the process of `user`. NULL if out of memory. Valid
 * until the ring ends or another table is made.
 */
struct state_fds *state_rings_get(struct state_rings *rings, struct state_fd_store *store,
				  uint64_t ring, const struct state_thread *user);

/*
 * A slot may get another file, or lose it: an operation does that of which it is not known how it
 * ended. What it has is kept, unless that is unsure itself; the control group of `user` holds the
 * memory. state_rings_settle() forgets it, and
 * state_rings_before() is what was kept, or NULL.
 */
void state_rings_doubt(struct state_rings *rings, struct state_fd_store *store, uint64_t ring,
		       int64_t slot, const struct state_thread *user);
void state_rings_settle(struct state_rings *rings, uint64_t ring, int64_t slot);
struct state_fd *state_rings_before(struct state_rings *rings, uint64_t ring, int64_t slot);

/* Forgets the files of a ring, or those of all rings of a process (-1: of all rings). */
void state_rings_end(struct state_rings *rings, uint64_t ring);
void state_rings_end_process(struct state_rings *rings, int64_t pid);

#endif
