/* SPDX-License-Identifier: MIT */
/*
 * What processes execute that the kernel's list of threads has and the tables do not: noted until
 * the clone event of such a process comes. A place for each id by remainder: ids that are in use at
 * one time lie close together.
 */
#ifndef SINSP_STATE_NOTES_H
#define SINSP_STATE_NOTES_H

#include <stdint.h>

#include "sinsp/state/thread.h"
#include "util/pool.h"

enum { NOTES_COUNT = 4096 };

struct note {
	int64_t tid;
	uint64_t exec_id; /* as in clone events */
	uint64_t until_ns; /* when it was in the list: its clone event is not later */
	struct state_program *program; /* a reference; NULL: the place is free */
};

/* A zeroed struct is empty. */
struct notes {
	struct note places[NOTES_COUNT];
	uint32_t count;
	uint64_t until_ns; /* the latest of all */
	uint64_t dropped; /* replaced by another one before their time */
};

/*
 * Notes a program, which is copied, in place of an earlier note of that process. now_ns: time of
 * the last event; 0: there was none, and the list will be read again. Does nothing if out of
 * memory.
 */
void notes_put(struct notes *notes, struct pool *pool, const struct note *note,
	       const struct state_program *program, uint64_t now_ns);

/* Whether the program of a process with that exec_id is noted. It is the caller's reference then.
 */
struct state_program *notes_take(struct notes *notes, int64_t tid, uint64_t exec_id);

/* Drops all notes once their time is over: cheap enough for each clone event. */
void notes_expire(struct notes *notes, struct pool *pool, uint64_t now_ns);

/* Drops them all. */
void notes_finish(struct notes *notes, struct pool *pool);

#endif
