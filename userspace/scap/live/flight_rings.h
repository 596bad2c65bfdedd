/* SPDX-License-Identifier: MIT */
/*
 * The rings of a flight recorder: one for each CPU, whose oldest records are overwritten, and what
 * they have at one moment. Owned by the live source; flight.h makes a source of them.
 */
#ifndef SCAP_LIVE_FLIGHT_RINGS_H
#define SCAP_LIVE_FLIGHT_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/loaded.h"
#include "scap/rings/backward.h"
#include "scap/rings/merge.h"
#include "util/error.h"

/* How much was written to a ring by a time: what precedes it is overwritten one lap later. */
struct flight_mark {
	uint64_t written, ns; /* ns: boot clock */
};

/* Of one lap; nothing is noted before this part of it was written. */
enum { FLIGHT_MARKS = 64, FLIGHT_MARK_DIVISOR = 32 };

struct flight_ring {
	struct scap_backward backward;
	struct flight_mark marks[FLIGHT_MARKS]; /* the oldest at `first` */
	uint32_t first, count;
	uint64_t overwritten_ns; /* boot clock: all that was sent before is overwritten */
	uint64_t opened_ns; /* likewise: nothing before is in it */
	struct scap_enabled enabled; /* when it was last looked at */
	uint64_t looked_at; /* bytes that were written when it was last looked at */
};

struct flight_rings {
	/* Set by the caller, before flight_rings_open(). */
	struct live_loader *loader; /* borrowed */
	int map; /* borrowed: that of the rings, by CPU */
	struct scratch_slot *slots; /* borrowed, SCRATCH_SLOTS_PER_CPU for each of `cpus` */
	uint32_t cpus; /* possible ones; 0: there are no such rings */
	uint32_t ring_bytes;
	uint64_t boot_offset_ns; /* epoch minus boot clock */
	/* The rest is zeros then. */
	struct flight_ring *rings; /* by CPU */
	/* By CPU: taken out of slots, and later than what was frozen. */
	struct scap_ring *left;
	bool *online, *listed; /* by CPU: has a ring that is written; was online when last read */
	uint64_t follow_ns; /* boot clock: when to read the CPUs again */
};

/* Opens the rings of the CPUs that are online. Returns 0, or -errno with a message; close it. */
int flight_rings_open(struct flight_rings *rings, struct error *err);
void flight_rings_close(struct flight_rings *rings); /* accepts one without rings */

/*
 * Notes how far the rings were written, and opens those of CPUs that went online, also if they were
 * offline for a moment alone: to be called at least every FLIGHT_STEP_MS. now_ns: boot clock.
 */
enum { FLIGHT_STEP_MS = 500 };
void flight_rings_step(struct flight_rings *rings, uint64_t now_ns);

/*
 * The time, since the epoch, from which on the rings may have all events: earlier ones are
 * overwritten. An estimate that is never too late.
 */
uint64_t flight_rings_since(const struct flight_rings *rings);

/*
 * Fills what is counted of them, when all else is filled: nobody counts what is overwritten, it is
 * what was seen, and neither delivered nor lost. Of `read_at_once` they have nothing.
 */
void flight_rings_stats(const struct flight_rings *rings, const bool read_at_once[EVENT_ID_MAX],
			struct scap_live_stats *stats);

/* What the rings and slots had at one moment. Times are since the epoch. */
struct flight_frozen {
	struct flight_rings *rings; /* borrowed */
	struct scap_backward_copy *copies; /* owned, by CPU */
	struct scap_ring *cursors; /* owned, by CPU: those of the copies */
	struct scap_merge *merge; /* owned; NULL: nothing is frozen */
	uint64_t since_ns; /* all events later than this are there, */
	uint64_t until_ns; /* if they are not later than this */
	uint64_t bytes; /* of all copies */
	uint32_t busy_slots; /* their frames are missing: a program that was stopped has them */
	uint64_t corrupt;
};

/*
 * Copies what the rings and slots have; programs go on writing. Returns 0, or -ENOMEM; to be closed
 * in both cases.
 */
int flight_rings_freeze(struct flight_rings *rings, struct flight_frozen *frozen);
void flight_frozen_close(struct flight_frozen *frozen); /* accepts a zeroed one */

/*
 * Gets the next event in time order, up to `until_ns`. Returns 1, valid until the next call; or 0.
 * Those up to `since_ns` have gaps between them.
 */
int flight_frozen_next(struct flight_frozen *frozen, struct scap_frame *frame, uint16_t *cpu);

#endif
