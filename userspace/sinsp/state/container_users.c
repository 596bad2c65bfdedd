/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_users.h"

#include <errno.h>

#include "scap/proc/proc.h"

/* How many execs of a container may have the root of the machine before that is its root. */
enum { TRIES_MAX = 8 };

void state_read_users(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	struct sinsp_container *container = thread->cgroups->container;
	struct sinsp_container_users *users = NULL;
	int r = sinsp_container_users_read(sinsp->proc, thread->tid, container->id, container->path,
					   &users);

	/* Another process, or a later exec, may succeed. */
	if (r == -ESRCH || (r == -EAGAIN && ++container->users_tries < TRIES_MAX))
		return;
	container->users_read = true;
	/* Without a file that can be used no id has a name: one of the host would be wrong. */
	if (r && r != -EAGAIN)
		users = sinsp_container_users_create();
	sinsp_container_set_users(container, users);
}
