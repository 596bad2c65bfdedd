/* SPDX-License-Identifier: MIT */
/* When users of containers are read on a live machine. Only for the files of the engine. */
#ifndef SINSP_STATE_CONTAINER_USERS_H
#define SINSP_STATE_CONTAINER_USERS_H

#include "sinsp/state/core.h"

void state_read_users(struct sinsp *sinsp, const struct sinsp_thread *thread);

/*
 * Reads the users of the thread's container through its root, once for each container. Until that
 * succeeds, they are unknown. To be called for threads that were loaded, and after an exec: a
 * runtime's process is in the groups of a container before it has its root.
 */
static inline void state_learn_users(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	const struct sinsp_container *container = thread->cgroups->container;

	if (container && !container->users_read && sinsp->proc)
		state_read_users(sinsp, thread);
}

#endif
