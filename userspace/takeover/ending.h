/* SPDX-License-Identifier: MIT */
/*
 * The end of a live capture at a boundary of time, from which on a capture of another process goes
 * on. That one is attached later, so that at each tracepoint it reads the clock after this one: an
 * event that this one has before the boundary, and the other one after it, is recognized there by
 * its hash.
 */
#ifndef TAKEOVER_ENDING_H
#define TAKEOVER_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/model/source.h"

/* How long before the boundary events are remembered. The other capture has its copy by then. */
enum { BOUNDARY_COPY_NS = 20000000 };
/* The latest so many. */
enum { BOUNDARY_SEEN_MAX = 1 << 16 };

/* An event shortly before the boundary. */
struct boundary_seen {
	uint64_t ts_ns; /* as in frames */
	uint64_t hash; /* frame_hash() */
};

struct scap_ending;

/*
 * Creates a source that returns the events of `inner` (borrowed) before the boundary, a time as in
 * frames. Returns 0 or -ENOMEM.
 */
int scap_ending_create(struct scap_source *inner, uint64_t boundary_ns,
		       struct scap_ending **ending);

struct scap_source *scap_ending_source(struct scap_ending *ending);

/* Whether all events before the boundary were returned. */
bool scap_ending_is_reached(const struct scap_ending *ending);

/* Those shortly before it, in no order. */
const struct boundary_seen *scap_ending_seen(const struct scap_ending *ending, size_t *count);

/* There is no boundary any more: all events are returned. */
void scap_ending_cancel(struct scap_ending *ending);

/* Whether the rest can be read from the inner source directly, after scap_ending_cancel(). */
bool scap_ending_is_over(const struct scap_ending *ending);

/* Drops the events from the boundary on: they are the other's. The inner source was stopped. */
void scap_ending_confirm(struct scap_ending *ending);

/* How many of these there were, by id. */
void scap_ending_dropped(const struct scap_ending *ending, uint64_t dropped[EVENT_ID_MAX]);

#endif
