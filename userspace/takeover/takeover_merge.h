/* SPDX-License-Identifier: MIT */
/*
 * Switches from one live capture to another without a gap: while both run, their events are merged
 * by time, and an event that both have seen is returned once.
 */
#ifndef TAKEOVER_TAKEOVER_MERGE_H
#define TAKEOVER_TAKEOVER_MERGE_H

#include <stdbool.h>

#include "event/event.h"
#include "scap/source.h"

struct takeover_merge;

/*
 * The two copies of an event are less than TAKEOVER_MERGE_COPY_NS apart. Both captures have to run
 * for TAKEOVER_MERGE_BOTH_NS, which is longer, so that the first events of the new one are not
 * taken for copies of older events.
 */
enum { TAKEOVER_MERGE_COPY_NS = 20000000, TAKEOVER_MERGE_BOTH_NS = 100000000 };

/*
 * Creates a source that returns the events of `old` (borrowed) and remembers the latest of them, to
 * recognize their copies. Call it before the new source is opened. Returns 0 or -ENOMEM.
 */
int takeover_merge_create(struct scap_source *old, struct takeover_merge **merge);

/*
 * Adds the new source (borrowed), which has the same clock. Its events up to the time of the last
 * event that was returned are dropped. Stop the old source after this call; it ends with -ENODATA.
 */
void takeover_merge_join(struct takeover_merge *merge, struct scap_source *fresh);

/*
 * Exec events of the old source from that time on are not returned: the new one has them too, and
 * with the environment of the program. It has run since TAKEOVER_MERGE_COPY_NS before.
 */
void takeover_merge_replace_execs(struct takeover_merge *merge, uint64_t since_ns);

/*
 * Calls on sockets of the old source from that time on are not returned, as its exec events: only
 * the new one says where the bytes of each call are in their stream.
 */
void takeover_merge_replace_streams(struct takeover_merge *merge, uint64_t since_ns);

struct scap_source *takeover_merge_source(struct takeover_merge *merge);

/* Whether the rest can be read from the new source directly. Ask between two events. */
bool takeover_merge_is_done(const struct takeover_merge *merge);

/*
 * How many events, by id, were not returned: second copies, and events of the new source from
 * before it was added.
 */
void takeover_merge_copies(const struct takeover_merge *merge, uint64_t copies[EVENT_ID_MAX]);

#endif
