/* SPDX-License-Identifier: MIT */
/*
 * Threads as they were: copies that stay what they are when the thread ends or executes another
 * program, for who joins numbers that the kernel has counted with the state later. They share what
 * the thread shared, but for descriptors.
 */
#ifndef SINSP_STATE_FORMER_H
#define SINSP_STATE_FORMER_H

#include "sinsp/state/engine.h"

/* Returns NULL if out of memory. Release it before the state. */
struct state_thread *state_former_create(struct state *state, const struct state_thread *thread);

/* One of which only the ids are known, and that no event names. NULL: out of memory. */
struct state_thread *state_former_create_unknown(struct state *state);

void state_former_release(struct state *state, struct state_thread *kept); /* accepts NULL */

/* What a switch event would say of the memory of a thread, and so of its process. */
void state_former_note_memory(struct state *state, int64_t tid, uint32_t size_kib,
			      uint32_t resident_kib);

#endif
