/* SPDX-License-Identifier: MIT */
/*
 * The state engine: takes events in time order, keeps threads and descriptors up to date, and
 * provides each event's thread and descriptor. Other data is read through state/event.h.
 */
#ifndef SINSP_STATE_ENGINE_H
#define SINSP_STATE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/iter.h"
#include "scap/proc/snapshot.h"
#include "scap/source.h"
#include "sinsp/state/config.h"
#include "sinsp/state/event.h"
#include "util/error.h"

/* Creates an engine with empty tables. Returns 0, or -errno with a message. */
int state_create(const struct state_config *config, struct state **state, struct error *err);
void state_destroy(struct state *state); /* accepts NULL */

/*
 * Says for which parts of the state (enum state_part) the events that keep them up to date are
 * missing, because nothing asks for them: such a part is not kept. Without STATE_DESCRIPTORS a
 * descriptor is known during the event that creates it. Not between state_process() and the last
 * use of its event.
 */
void state_set_lacks(struct state *state, unsigned int parts);

/*
 * Looks at the clock, for live events now and then: has_more says whether others wait behind the
 * last one. While they are late, less is looked up in /proc, as that makes them later.
 */
void state_check_lateness(struct state *state, bool has_more);

/*
 * Keeps the last processes that ended, for events of sockets that are theirs: without this those
 * have no process then.
 */
void state_keep_ended(struct state *state);

/*
 * From now on events tell which sockets went with them otherwise than by a close: see struct
 * state_event. Does nothing if out of memory.
 */
void state_tell_gone(struct state *state);

/* Iterators of the kernel, of which each may be NULL: /proc is read in its place. */
struct state_iterators {
	struct scap_open_fds *open_fds;
	struct scap_threads *threads;
	/* Another pass over the threads, before /proc is read: that takes long, and processes end.
	 */
	struct scap_threads *before;
};

/*
 * Fills the tables from iterators (NULL: there are none), and from /proc what they do not report.
 * Returns 0, or -errno with a message.
 */
int state_seed(struct state *state, const struct state_iterators *iterators, struct error *err);

/*
 * Fills the tables again, between two events, for parts that no events kept up to date
 * so far; counters continue. Returns 0, or -errno with a message.
 */
int state_reseed(struct state *state, const struct state_iterators *iterators, struct error *err);

/* Fills in the descriptors alone, of the threads in the tables, likewise. */
void state_reseed_descriptors(struct state *state, struct scap_open_fds *open_fds);

/*
 * Whether processes began since the last call whose executable nobody knows: their creator began
 * and ended while the tables were filled. The kernel's list of threads has them, or their
 * descendants, if it is read again.
 */
bool state_take_missed(struct state *state);

/*
 * Learns from up to `max` threads of that list, between two events, what processes execute that are
 * in the tables, or whose clone events come later. Returns 1: there are more; 0: that was the end;
 * or -errno.
 */
int state_learn_programs(struct state *state, struct scap_threads *threads, unsigned int max);

/*
 * The listener that fills the tables in place of /proc: events then come from another machine, and
 * nothing is looked up on this one. Owned by `state`.
 */
struct scap_snapshot *state_snapshot(struct state *state);

/*
 * Reports the current tables, between two events, in an order that depends only on them: threads by
 * id, main ones first. Returns 0, or what `to` returned.
 */
int state_dump(struct state *state, struct scap_snapshot *to);

/*
 * Reports the containers whose descriptions or users became known since the last call of this
 * function or of state_dump(); `to` NULL: skips them. Returns 0, or what `to` returned. Without
 * any it is cheap enough for each event.
 */
int state_dump_changed(struct state *state, struct scap_snapshot *to);

/*
 * Applies one event. Returns 0, or -EBADMSG or -ENOENT (counted) for a corrupt or unknown frame.
 * `event` and what it points to are valid until the next call: a closed descriptor or an ended
 * thread still exists during the event that ends it.
 */
int state_process(struct state *state, const struct scap_event *raw, struct state_event *event);

/* Whether a thread is known and followed. */
bool state_is_followed(const struct state *state, int64_t tid);

/* The parent of a process; 0: it has none, or is not known. */
int64_t state_parent_of(const struct state *state, int64_t pid);

/* The parts of the state (enum state_part) that would become wrong without events of that id. */
unsigned int state_event_keeps(unsigned int id);

/*
 * Whether events of that id create their descriptor and describe it, so that no other event is
 * needed to know it.
 */
bool state_event_describes_fd(unsigned int id);

void state_stats(const struct state *state, struct state_stats *stats);

/*
 * Processes of which events are missing, as nobody needs them. What is known of their descriptors
 * would become wrong: it is forgotten, and they are looked up in /proc when they are needed again.
 */

/* So many threads are gone through at most: anybody can have many of them. */
enum { STATE_WALKED_MAX = 1 << 15 };

/*
 * Whether a process is known with its program (exec_id), with all of its threads, and as the only
 * one that has its descriptors; and `test` is true for each of the threads. Time: that of a
 * look-up, with several threads that of a walk over all that the table has: false if these are too
 * many.
 */
bool state_process_is(struct state *state, int64_t pid,
		      bool (*test)(const struct state_thread *thread, void *context),
		      void *context);

/*
 * From now on, events that concern the descriptors of such a process may be missing; until all are
 * there: those that are younger than `ns`, and those from the next event of a thread on (0: it is
 * not known of any). Not between state_process() and the last use of its event.
 */
void state_begin_gap(struct state *state, int64_t pid);
void state_end_gap(struct state *state, int64_t pid, uint64_t ns, int64_t tid);

/* Whether events of its descriptors may be missing, and will be. */
bool state_is_in_gap(const struct state_thread *thread);

#endif
