/* SPDX-License-Identifier: MIT */
/*
 * Processes that have ended, for events of what the kernel does in their name later: it closes
 * their sockets after they ended. The last ones are kept, without their descriptors; a process with
 * the same remainder of its id takes the place of another one.
 */
#ifndef SINSP_STATE_ENDED_H
#define SINSP_STATE_ENDED_H

#include <stdint.h>

#include "sinsp/state/threads.h"

struct state;

enum { ENDED_MAX = 1024 };

/* A zeroed struct is empty. */
struct state_ended {
	struct state_thread_entry **entries; /* owned, ENDED_MAX, each too; NULL: none are kept */
};

/* Has processes be kept from now on; if there is no memory for that, none is. */
void state_ended_begin(struct state *state);

/* Forgets all of them; more are kept. */
void state_ended_clear(struct state *state);
void state_ended_finish(struct state *state);

/* Keeps a thread as it is now, if it is the first one of a process that is known. */
void state_ended_keep(struct state *state, const struct state_thread_entry *ended);

/* NULL: it is not among them. */
struct state_thread *state_ended_find(const struct state *state, int64_t pid);

#endif
