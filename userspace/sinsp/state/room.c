/* SPDX-License-Identifier: MIT */
/* Decides whether threads or descriptors have to go. */
#include "sinsp/state/room.h"

enum { STEPS_MAX = 64 }; /* for one event, which adds less */

/* Descriptors with their names may use half of the memory, if threads need the rest. */
static bool evict_one(struct sinsp *sinsp)
{
	struct sinsp_fd_store *store = &sinsp->fd_store;

	if (state_held_bytes(sinsp) <= sinsp->memory_max)
		return sinsp_fds_evict(store);
	if (store->units * HOLDER_UNIT_BYTES > sinsp->memory_max / 2 && sinsp_fds_evict(store))
		return true;
	return sinsp_threads_evict(&sinsp->threads) || sinsp_fds_evict(store);
}

void state_make_room(struct sinsp *sinsp)
{
	for (int i = 0; i < STEPS_MAX && state_is_crowded(sinsp); i++)
		if (!evict_one(sinsp))
			return;
}
