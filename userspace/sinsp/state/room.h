/* SPDX-License-Identifier: MIT */
/*
 * Keeps the tables within their limits of memory and descriptors: whoever holds most loses what is
 * oldest of it. What is removed is looked up in /proc again when an event needs it.
 */
#ifndef SINSP_STATE_ROOM_H
#define SINSP_STATE_ROOM_H

#include "sinsp/state/core.h"

/* A part of the limit stays free for what one event adds, such as a copy of a large table. */
enum { STATE_FDS_SPARE_PART = 16 };

static inline bool state_has_many_fds(const struct sinsp *sinsp)
{
	const struct sinsp_fd_store *store = &sinsp->fd_store;

	return store->count > store->max - store->max / STATE_FDS_SPARE_PART;
}

/* Bytes of threads, with their control groups, and of descriptors. */
static inline uint64_t state_held_bytes(const struct sinsp *sinsp)
{
	return sinsp->pool.held + sinsp->containers.cgroups_bytes;
}

/* Cheap enough for each event. */
static inline bool state_is_crowded(const struct sinsp *sinsp)
{
	return state_held_bytes(sinsp) > sinsp->memory_max || state_has_many_fds(sinsp);
}

/* Removes some threads or descriptors if the tables are crowded. Only between two events. */
void state_make_room(struct sinsp *sinsp);

#endif
