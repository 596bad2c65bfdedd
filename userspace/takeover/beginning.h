/* SPDX-License-Identifier: MIT */
/*
 * The begin of a live capture at a boundary of time, up to which a capture of another process goes
 * (see ending.h). Events before it are hidden: they only update the state.
 */
#ifndef TAKEOVER_BEGINNING_H
#define TAKEOVER_BEGINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "takeover/ending.h"
#include "scap/model/source.h"

struct scap_beginning;

/*
 * Creates a source of the events of `inner` (borrowed), at first without a boundary: all are
 * hidden. Returns 0 or -ENOMEM.
 */
int scap_beginning_create(struct scap_source *inner, struct scap_beginning **beginning);

struct scap_source *scap_beginning_source(struct scap_beginning *beginning);

/*
 * Sets the boundary, a time as in frames that is yet to come, or a later one. Events from
 * BOUNDARY_COPY_NS before it on are not returned until scap_beginning_open().
 */
void scap_beginning_set(struct scap_beginning *beginning, uint64_t boundary_ns);

/*
 * Returns what was held. seen: what the other capture had shortly before the boundary; they are
 * copied: events from there on that are copies of these are hidden, too. Returns 0 or -ENOMEM.
 */
int scap_beginning_open(struct scap_beginning *beginning, const struct boundary_seen *seen,
			size_t count);

/* Whether the rest can be read from the inner source directly. Ask between two events. */
bool scap_beginning_is_over(const struct scap_beginning *beginning);

/* How many events were hidden because the other capture had them, by id. */
void scap_beginning_hidden(const struct scap_beginning *beginning, uint64_t hidden[EVENT_ID_MAX]);

#endif
