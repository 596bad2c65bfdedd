/* SPDX-License-Identifier: MIT */
/*
 * Processes of which events are missing, as nobody needs them. What is known of their descriptors
 * would become wrong: it is forgotten, and they are looked up in /proc when they are needed again.
 */
#ifndef SINSP_STATE_GAPS_H
#define SINSP_STATE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

struct state;
struct state_thread;

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
