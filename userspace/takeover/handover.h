/* SPDX-License-Identifier: MIT */
/*
 * Switches from one live capture to another without a gap: while both run, their events are merged
 * by time, and an event that both have seen is returned once.
 */
#ifndef TAKEOVER_HANDOVER_H
#define TAKEOVER_HANDOVER_H

#include <stdbool.h>

#include "event/event.h"
#include "scap/model/source.h"

struct scap_handover;

/*
 * The two copies of an event are less than HANDOVER_COPY_NS apart. Both captures have to run for
 * HANDOVER_BOTH_NS, which is longer, so that the first events of the new one are not taken for
 * copies of older events.
 */
enum { HANDOVER_COPY_NS = 20000000, HANDOVER_BOTH_NS = 100000000 };

/*
 * Creates a source that returns the events of `old` (borrowed) and remembers the latest of them, to
 * recognize their copies. Call it before the new source is opened. Returns 0 or -ENOMEM.
 */
int scap_handover_create(struct scap_source *old, struct scap_handover **handover);

/*
 * Adds the new source (borrowed), which has the same clock. Its events up to the time of the last
 * event that was returned are dropped. Stop the old source after this call; it ends with -ENODATA.
 */
void scap_handover_join(struct scap_handover *handover, struct scap_source *fresh);

struct scap_source *scap_handover_source(struct scap_handover *handover);

/* Whether the rest can be read from the new source directly. Ask between two events. */
bool scap_handover_is_done(const struct scap_handover *handover);

/*
 * How many events, by id, were not returned: second copies, and events of the new source from
 * before it was added.
 */
void scap_handover_copies(const struct scap_handover *handover, uint64_t copies[EVENT_ID_MAX]);

#endif
