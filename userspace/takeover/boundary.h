/* SPDX-License-Identifier: MIT */
/*
 * The boundary of time between the capture of this agent and that of another one, which goes on
 * with it or went before.
 */
#ifndef TAKEOVER_BOUNDARY_H
#define TAKEOVER_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "event/event.h"
#include "scap/source.h"

/* Recognizes the copies of an event that several captures have seen. */

/* The header of the frame; zeroed if the frame is too short for one. */
static inline struct ppm_evt_hdr boundary_frame_header(const struct scap_event *event)
{
	struct ppm_evt_hdr header = {0};

	if (event->len >= sizeof(header))
		memcpy(&header, event->frame, sizeof(header));
	return header;
}

/*
 * The hash of all that is the same in each capture: each reads the clock itself. The upper half is
 * that of the header, so thread and type, the lower one that of the values. The frame has a header.
 */
uint64_t boundary_frame_hash(const struct scap_event *event);

/*
 * A source whose events can be taken into memory while they cannot be handled yet, so that ring
 * buffers have room meanwhile.
 */

struct boundary_queue;

/* inner: borrowed. bytes_max: of the memory for events. Returns 0 or -ENOMEM. */
int boundary_queue_create(struct scap_source *inner, size_t bytes_max,
			  struct boundary_queue **queue);

struct scap_source *boundary_queue_source(struct boundary_queue *queue);

/*
 * Takes what the inner source has at present, as far as there is room: the rest stays where it is.
 * Waits `timeout_ms` for the first event. Returns 0, or
 * -ENOMEM, or -errno of the inner source.
 */
int boundary_queue_fill(struct boundary_queue *queue, int timeout_ms);

/* Whether nothing is in memory. */
bool boundary_queue_is_empty(const struct boundary_queue *queue);

/*
 * The end of a live capture at a boundary of time, from which on a capture of another process goes
 * on. That one is attached later, so that at each tracepoint it reads the clock after this one: an
 * event that this one has before the boundary, and the other one after it, is recognized there by
 * its hash.
 */

/* How long before the boundary events are remembered. The other capture has its copy by then. */
enum { BOUNDARY_COPY_NS = 20000000 };
/* The latest so many. */
enum { BOUNDARY_SEEN_MAX = 1 << 16 };

/* An event shortly before the boundary. */
struct boundary_seen {
	uint64_t ts_ns; /* as in frames */
	uint64_t hash; /* boundary_frame_hash() */
};

struct boundary_before;

/*
 * Creates a source that returns the events of `inner` (borrowed) before the boundary, a time as in
 * frames. Returns 0 or -ENOMEM.
 */
int boundary_before_create(struct scap_source *inner, uint64_t boundary_ns,
			   struct boundary_before **before);

struct scap_source *boundary_before_source(struct boundary_before *before);

/* Whether all events before the boundary were returned. */
bool boundary_before_is_reached(const struct boundary_before *before);

/* Those shortly before it, in no order. */
const struct boundary_seen *boundary_before_seen(const struct boundary_before *before,
						 size_t *count);

/* There is no boundary any more: all events are returned. */
void boundary_before_cancel(struct boundary_before *before);

/* Whether the rest can be read from the inner source directly, after boundary_before_cancel(). */
bool boundary_before_is_over(const struct boundary_before *before);

/* Drops the events from the boundary on: they are the other's. The inner source was stopped. */
void boundary_before_confirm(struct boundary_before *before);

/* How many of these there were, by id. */
void boundary_before_dropped(const struct boundary_before *before, uint64_t dropped[EVENT_ID_MAX]);

/*
 * The begin of a live capture at a boundary of time, up to which a capture of another process goes
 * (see boundary_before_create()). Events before it are hidden: they only update the state.
 */

struct boundary_after;

/*
 * Creates a source of the events of `inner` (borrowed), at first without a boundary: all are
 * hidden. Returns 0 or -ENOMEM.
 */
int boundary_after_create(struct scap_source *inner, struct boundary_after **after);

struct scap_source *boundary_after_source(struct boundary_after *after);

/*
 * Sets the boundary, a time as in frames that is yet to come, or a later one. Events from
 * BOUNDARY_COPY_NS before it on are not returned until boundary_after_open().
 */
void boundary_after_set(struct boundary_after *after, uint64_t boundary_ns);

/*
 * Returns what was held. seen: what the other capture had shortly before the boundary; they are
 * copied: events from there on that are copies of these are hidden, too. Returns 0 or -ENOMEM.
 */
int boundary_after_open(struct boundary_after *after, const struct boundary_seen *seen,
			size_t count);

/* Whether the rest can be read from the inner source directly. Ask between two events. */
bool boundary_after_is_over(const struct boundary_after *after);

/* How many events were hidden because the other capture had them, by id. */
void boundary_after_hidden(const struct boundary_after *after, uint64_t hidden[EVENT_ID_MAX]);

/*
 * The boundary between the capture of this agent and that of another one, which goes on with it or
 * went before. Times are of the boot clock, which both have; frames add an offset of their own.
 */

struct scap_live_stats;

/* Part of a live input; zeroed: there is none. */
struct boundary {
	struct scap_source *inner; /* borrowed: the capture; set by the input */
	uint64_t offset_ns; /* of its frames; set by the input */
	/* NULL: not in use. */
	struct boundary_before *before;
	struct boundary_queue *queue;
	struct boundary_after *after;
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
