/* SPDX-License-Identifier: MIT */
/*
 * Merges the rings of all CPUs into one stream in time order. It works in rounds: a round
 * determines up to which time every event is in its ring, and loads the rings; then the events
 * before that time can be taken, the earliest first.
 */
#ifndef SCAP_RINGS_MERGE_H
#define SCAP_RINGS_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "scap/rings/ring.h"

/*
 * The reader's side of the scratch slots in which the driver batches frames; struct scratch_state
 * in driver/abi.h says how they are shared. Called by the merge in each round.
 */

/*
 * Lowers `*since_ns` (boot clock, read before the call) to the time of the first event that is in a
 * slot or being written to it. Returns 0, or -EAGAIN if its owner has not read the clock yet.
 */
int scap_slot_since(const struct scratch_slot *slot, uint64_t *since_ns);

/* Whether it has no event, and no owner that may be about to write one. */
bool scap_slot_is_free(const struct scratch_slot *slot);

/*
 * Takes the batch out of a slot, into the ring of its CPU. Returns false, and does nothing, while a
 * filler owns the slot: the next round takes them.
 */
bool scap_slot_empty(struct scratch_slot *slot, struct scap_ring *ring);

struct scap_merge_config {
	uint32_t cpus; /* possible ones */
	struct scap_ring *rings; /* borrowed: one for each CPU, possibly empty */
	struct scap_ring *replaced; /* borrowed: likewise, what others took the place of; or NULL */
	/* Borrowed: SCRATCH_SLOTS_PER_CPU for each CPU; NULL: none, only the last round is begun.
	 */
	struct scratch_slot *slots;
	uint64_t boot_offset_ns; /* events count from the epoch, slots from boot */
	/*
	 * What waits in slots is not for these rings, as of a flight recorder: it stays there, and
	 * `since_ns` of a slot is the time of the event that is being written.
	 */
	bool leaves_slots;
};

struct scap_merge;

/* Returns 0 or -ENOMEM. */
int scap_merge_create(const struct scap_merge_config *config, struct scap_merge **merge);
void scap_merge_destroy(struct scap_merge *merge);

/*
 * Begins a round. `now_ns` is the boot clock, read just before the call. Returns 0, or -EAGAIN if a
 * filler that owns a slot has not read the clock yet: the rings are loaded, but only the events
 * before the time of the previous round can be taken. Frames that have waited in a slot for long
 * are taken out of it, so that a CPU with few events does not delay the others.
 */
int scap_merge_round(struct scap_merge *merge, uint64_t now_ns);

/*
 * Begins a round after the last event was written: all that is in slots and rings can be taken.
 */
void scap_merge_last_round(struct scap_merge *merge);

/*
 * Takes the next event of the round. Returns 1 and the event, valid until the next call, or 0 if
 * the rest has to wait for another round; the memory of the taken events is then released.
 */
int scap_merge_next(struct scap_merge *merge, struct scap_frame *frame, uint16_t *cpu);

/* Whether scap_merge_next() would return an event, and its time; ends the validity of the last one.
 */
bool scap_merge_peek(struct scap_merge *merge, uint64_t *ts);

/* Whether nothing is left that a round has loaded, and no program has an event in its hands. */
bool scap_merge_is_quiet(const struct scap_merge *merge);

/*
 * From now on, the first event that is written rings the bell of the capture, or does not any more.
 * An event that another round does not find behind this call is such a one.
 */
void scap_merge_await(struct scap_merge *merge, bool awaited);

/* The time before which all events were or can be taken in this round. */
uint64_t scap_merge_cutoff(const struct scap_merge *merge);

/* Events taken after one with a later time: 0 unless clocks or slots misbehave. */
uint64_t scap_merge_out_of_order(const struct scap_merge *merge);

#endif
