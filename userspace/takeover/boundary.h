/* SPDX-License-Identifier: MIT */
/*
 * The boundary between the capture of this agent and that of another one, which goes on with it or
 * went before. Times are of the boot clock, which both have; frames add an offset of their own.
 */
#ifndef TAKEOVER_BOUNDARY_H
#define TAKEOVER_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "takeover/beginning.h"
#include "takeover/ending.h"
#include "takeover/held.h"

struct scap_live_stats;

/* Part of a live input; zeroed: there is none. */
struct boundary {
	struct scap_source *inner; /* borrowed: the capture; set by the input */
	uint64_t offset_ns; /* of its frames; set by the input */
	/* NULL: not in use. */
	struct scap_ending *ending;
	struct scap_held *held;
	struct scap_beginning *beginning;
	uint64_t others[EVENT_ID_MAX]; /* events of the other agent's account, by id; so far */
};

/* The source to read in place of the capture, or NULL. */
struct scap_source *boundary_source(const struct boundary *boundary);

/* Whether a boundary is in use; to be called between two events: it ends when it is passed. */
bool boundary_step(struct boundary *boundary);

/* The other agent goes on: */

/* Ends the capture at a time. Returns 0, -EAGAIN: that is not ahead; or -ENOMEM. */
int boundary_end_at(struct boundary *boundary, uint64_t time_ns);

/* Whether all events before it were handled. */
bool boundary_is_reached(const struct boundary *boundary);

/* Copies the events shortly before it, for boundary_open(). `seen` is freed by the caller. */
int boundary_seen(const struct boundary *boundary, struct boundary_seen **seen, size_t *count);

/* The capture goes on; or the events from the boundary on are the other agent's. */
void boundary_cancel(struct boundary *boundary);
void boundary_confirm(struct boundary *boundary);

/* The other agent went before: */

/* Hides all events. To be called before the first one. Returns 0 or -ENOMEM. */
int boundary_begin(struct boundary *boundary);

/* Sets the time from which on they are this agent's; later ones wait. */
void boundary_set(struct boundary *boundary, uint64_t time_ns);

/* Takes what comes into memory; waits so long for the first. Returns 0 or -errno. */
int boundary_hold(struct boundary *boundary, int timeout_ms);

/* Returns what waited. seen: as the other agent has it; borrowed. Returns 0 or -ENOMEM. */
int boundary_open(struct boundary *boundary, const struct boundary_seen *seen, size_t count);

/* Removes what is in the account of the other agent. */
void boundary_subtract(const struct boundary *boundary, struct scap_live_stats *stats);

void boundary_finish(struct boundary *boundary);

#endif
