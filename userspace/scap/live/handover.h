/* SPDX-License-Identifier: MIT */
/*
 * From one live capture to another without a gap: while both run, their events in one order of
 * time, and each that both have seen once.
 */
#ifndef SCAP_LIVE_HANDOVER_H
#define SCAP_LIVE_HANDOVER_H

#include <stdbool.h>

#include "event/event.h"
#include "scap/model/source.h"

struct scap_handover;

/*
 * The second copy of an event comes within this time of the first. Both captures have to run for
 * longer, so that what the new one saw first cannot be taken for a copy of something older.
 */
enum { HANDOVER_COPY_NS = 20000000, HANDOVER_BOTH_NS = 100000000 };

/*
 * Makes a source that gives what the old one does, which is borrowed, and that remembers some of it
 * for the new one. To be made before that is opened. Returns 0 or -ENOMEM.
 */
int scap_handover_create(struct scap_source *old, struct scap_handover **handover);

/*
 * Adds the new source, borrowed, of the same clock. What it has from before the last event that was
 * given out is not given. The old one is to be stopped later, and is at its end with -ENODATA.
 */
void scap_handover_join(struct scap_handover *handover, struct scap_source *fresh);

struct scap_source *scap_handover_source(struct scap_handover *handover);

/* Whether the rest can be taken from the new source itself: between two events. */
bool scap_handover_is_done(const struct scap_handover *handover);

/*
 * How many events of the new source, by their ids, were not given out: the old one had them, or
 * they came before the new one was joined.
 */
void scap_handover_copies(const struct scap_handover *handover, uint64_t copies[EVENT_ID_MAX]);

#endif
