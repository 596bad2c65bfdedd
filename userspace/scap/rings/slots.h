/* SPDX-License-Identifier: MIT */
/*
 * The reader's side of the scratch slots in which the driver batches frames; struct scratch_state
 * in driver/abi.h says how they are shared. Called by the merge in each round.
 */
#ifndef SCAP_RINGS_SLOTS_H
#define SCAP_RINGS_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "scap/rings/ring.h"

/*
 * Lowers `*since_ns` (boot clock, read before the call) to the time of the first event that is in a
 * slot or being written to it. Returns 0, or -EAGAIN if its owner has not read the clock yet.
 */
int scap_slot_since(const struct scratch_slot *slot, uint64_t *since_ns);

/* Whether it has no event, and no owner that may be about to write one. */
bool scap_slot_is_free(const struct scratch_slot *slot);

/*
 * Takes the batch out of a slot, into the ring of its CPU. Does nothing while a filler
 * owns the slot: the next round takes them.
 */
void scap_slot_empty(struct scratch_slot *slot, struct scap_ring *ring);

#endif
