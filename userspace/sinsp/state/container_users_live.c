/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_users_live.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/core.h"

/* How many execs of a container may have the root of the machine before that is its root. */
enum { TRIES_MAX = 8 };

void state_learn_users(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	struct sinsp_container *container = thread->cgroups->container;

	if (!container || container->users_read || !sinsp->proc)
		return;
	container->users_tid = thread->tid;
	if (!container->users_asked)
		sinsp_container_list_add(&sinsp->containers.lists, container,
					 SINSP_CONTAINERS_UNREAD);
}

bool sinsp_take_users_wanted(struct sinsp *sinsp, struct sinsp_users_wanted *wanted)
{
	struct sinsp_container_lists *lists = &sinsp->containers.lists;
	struct sinsp_container *container = lists->of[SINSP_CONTAINERS_UNREAD].oldest;

	if (!container)
		return false;
	sinsp_container_list_remove(lists, container, SINSP_CONTAINERS_UNREAD);
	*wanted = (struct sinsp_users_wanted){container->id, container->owner, container->path,
					      container->users_tid};
	container->users_tid = 0;
	container->users_asked = true;
	return true;
}

/* Whether another process, or a later exec, may succeed. */
static bool try_again(struct sinsp *sinsp, struct sinsp_container *container, int result)
{
	if (result != -ESRCH && (result != -EAGAIN || ++container->users_tries >= TRIES_MAX))
		return false;
	if (container->users_tid)
		sinsp_container_list_add(&sinsp->containers.lists, container,
					 SINSP_CONTAINERS_UNREAD);
	return true;
}

void sinsp_set_users(struct sinsp *sinsp, const char *id, uint32_t owner, int result,
		     struct sinsp_container_users *users)
{
	struct sinsp_container *container =
		sinsp_containers_find(&sinsp->containers, id, strlen(id), owner);

	if (container)
		container->users_asked = false;
	if (!container || try_again(sinsp, container, result)) {
		sinsp_container_users_destroy(users);
		return;
	}
	container->users_read = true;
	/* Without a file that can be used no id has a name: one of the host would be wrong. */
	if (result && result != -EAGAIN)
		users = sinsp_container_users_create();
	sinsp_container_set_users(&sinsp->containers, container, users);
	sinsp_container_list_add(&sinsp->containers.lists, container, SINSP_CONTAINERS_USERS);
}

int sinsp_copy_proc(const struct sinsp *sinsp, struct scap_proc **proc)
{
	*proc = NULL;
	return sinsp->proc ? scap_proc_copy(sinsp->proc, proc) : 0;
}
