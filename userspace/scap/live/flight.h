/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: a source over that of a live capture with `backward_bytes`. It returns
 * nothing that is of interest until it is told to give what it has; then the events of the last
 * time, without a gap between them, in time order.
 *
 * Two kinds of rings have the events of each CPU. Those that change what is known of threads
 * (`read_at_once`) are in the rings of every capture, which nobody overwrites; they are read when
 * they come, and wait in memory. All others are in rings whose oldest records are overwritten, and
 * cost user space nothing. An event that waited is returned, as a hidden one, once the others of
 * its time are overwritten: so what is known of threads is always what it was when the events that
 * can still be given began.
 *
 * Giving copies the rings and the slots while programs write on: see flight_rings.h. The first
 * event that is given is later than all that was overwritten, on any CPU; the last one is not later
 * than the call. The next time only later ones are given.
 */
#ifndef SCAP_LIVE_FLIGHT_H
#define SCAP_LIVE_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/live/live.h"
#include "scap/source.h"

struct scap_flight_config {
	uint64_t window_ns; /* older events are not given; 0: all are that the rings have */
	uint64_t waiting_bytes_max; /* of events that wait; beyond it, fewer are given */
};

/* Times are since the epoch, as those of frames. */
struct scap_flight_given {
	uint64_t since_ns; /* the events are later than this: those before are not given, since */
	enum scap_flight_limit {
		FLIGHT_LIMIT_START, /* the capture began then, */
		FLIGHT_LIMIT_BEFORE, /* the last time they were given, */
		FLIGHT_LIMIT_WINDOW, /* they are older than the window, */
		FLIGHT_LIMIT_RINGS, /* they are overwritten, */
		FLIGHT_LIMIT_WAITING, /* or those that wait had to make room */
	} limit;
	uint64_t until_ns; /* and not later than this */
	uint64_t events;
	uint32_t busy_slots; /* see struct flight_frozen: with 0 nothing is missing */
	uint64_t corrupt;
};

struct scap_flight;

/*
 * Borrows `live`, which has `backward_bytes`; events are then to be taken from this source alone.
 * Returns 0 or -ENOMEM.
 */
int scap_flight_create(struct scap_live *live, const struct scap_flight_config *config,
		       struct scap_flight **flight);

/*
 * Shows each event of `read_at_once` to a function when it is read, long before it is returned;
 * they are in time order. NULL: to none. Valid while it is shown.
 */
void scap_flight_listen(struct scap_flight *flight,
			void (*heard)(void *context, const struct scap_event *event),
			void *context);

/* To be destroyed before the capture. */
struct scap_source *scap_flight_source(struct scap_flight *flight);

/*
 * Begins to give: the next events are hidden ones up to `since_ns`, then those of interest. Waits
 * for programs that are writing an event. Returns 0, -EBUSY if it gives already, or another -errno.
 */
int scap_flight_give(struct scap_flight *flight);

/* Whether there are events to give. Then, and after that, what they are. */
bool scap_flight_gives(const struct scap_flight *flight);
void scap_flight_given(const struct scap_flight *flight, struct scap_flight_given *given);

/*
 * Whether a process was ended by a signal of an error, such as SIGSEGV, that is not among what was
 * given before. It is told a tenth of a second later, when all its threads have ended, and a minute
 * after another one at the earliest.
 */
bool scap_flight_take_crashed(struct scap_flight *flight);

#endif
