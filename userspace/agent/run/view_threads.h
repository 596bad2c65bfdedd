/* SPDX-License-Identifier: MIT */
/*
 * Whose the calls are that the kernel has counted by thread. Rows are read later than they are
 * counted: of a process that has ended since, or executes another program, what it was is kept
 * until its rows were read, so that a row is given to the thread whose events it stands for.
 */
#ifndef AGENT_RUN_VIEW_THREADS_H
#define AGENT_RUN_VIEW_THREADS_H

#include <stdbool.h>

#include "abi.h"
#include "scap/source.h"
#include "sinsp/sinsp.h"
#include "util/error.h"

struct run;
struct view_threads;

/* For plans whose rows are of threads; without memory, those that end have only a name and ids. */
void view_threads_begin(struct run *run);
void view_threads_end(struct run *run); /* before its state is destroyed */

/* Before rows are given: with what state they are joined. */
void view_threads_join(struct run *run);

/*
 * Before an event is applied: keeps the process that it ends, or whose program it replaces. Returns
 * whether there is no room for more: rows have to be read now, and all be forgotten.
 */
bool view_threads_note(struct run *run, const struct scap_event *raw);
void view_threads_forget(struct run *run);

/* All events before a time, as they have it, were noted. Without that the last one says it. */
void view_threads_settle(struct run *run, uint64_t until_ns);

/* Execs were lost: from now on a row is of a program only if its id agrees, and else of nobody. */
void view_threads_doubt(struct run *run);

/*
 * Fills in whose a row is: `thread` is a copy. Returns false if that may be known at the next
 * reading, when its first event was seen; is_last: there is none.
 */
bool view_threads_find(struct view_threads *threads, const struct call_row_key *key,
		       const struct call_row *row, bool is_last, struct state_thread *thread);

/* Whether a row without new calls can be removed: its thread has ended, or has another program. */
bool view_threads_is_over(const struct view_threads *threads, const struct call_row_key *key,
			  const struct call_row *row);

/* Rows were read: those that ended before may be forgotten. */
void view_threads_step(struct view_threads *threads);

#endif
