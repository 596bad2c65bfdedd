/* SPDX-License-Identifier: MIT */
/* Data for fields besides the event: other threads, and names. */
#include "sinsp/state/event.h"

#include "sinsp/state/core.h"

const struct sinsp_thread *sinsp_thread_find(const struct sinsp *sinsp, int64_t tid)
{
	return state_thread_find(sinsp, tid);
}

const struct sinsp_thread *sinsp_thread_main(const struct sinsp *sinsp,
					     const struct sinsp_thread *thread)
{
	return sinsp_thread_is_main(thread) ? thread : state_thread_find(sinsp, thread->pid);
}

const struct sinsp_thread *sinsp_thread_parent(const struct sinsp *sinsp,
					       const struct sinsp_thread *thread)
{
	const struct sinsp_thread *main = sinsp_thread_main(sinsp, thread), *parent;

	parent = sinsp_thread_find(sinsp, main ? main->ptid : thread->ptid);
	return parent ? sinsp_thread_main(sinsp, parent) : NULL;
}

const struct user_entry *sinsp_user(const struct sinsp *sinsp, uint32_t uid)
{
	return users_find(&sinsp->names->users, uid, sinsp->now_ns);
}

const char *sinsp_user_name(const struct sinsp *sinsp, uint32_t uid)
{
	const struct user_entry *user = sinsp_user(sinsp, uid);

	return user ? user->name : NULL;
}

const char *sinsp_group_name(const struct sinsp *sinsp, uint32_t gid)
{
	const struct user_entry *group = users_find(&sinsp->names->groups, gid, sinsp->now_ns);

	return group ? group->name : NULL;
}

enum owner { OWNER_HOST, OWNER_CONTAINER, OWNER_UNKNOWN };

/* Whose users those of the event's thread are. */
static enum owner owner_of(const struct sinsp_event *event, struct sinsp_container_users **own)
{
	const struct sinsp_container *container =
		event->thread ? event->thread->cgroups->container : NULL;

	if (!container)
		return OWNER_HOST;
	*own = container->users;
	if (*own)
		return OWNER_CONTAINER;
	/* On a live machine they are read first. */
	return event->sinsp->proc && !container->users_read ? OWNER_UNKNOWN : OWNER_HOST;
}

const struct user_entry *sinsp_event_user(const struct sinsp_event *event, uint32_t uid)
{
	struct sinsp_container_users *own;

	switch (owner_of(event, &own)) {
	case OWNER_HOST:
		return sinsp_user(event->sinsp, uid);
	case OWNER_CONTAINER:
		return users_find(&own->users, uid, event->sinsp->now_ns);
	default:
		return NULL;
	}
}

const char *sinsp_event_user_name(const struct sinsp_event *event, uint32_t uid)
{
	const struct user_entry *user = sinsp_event_user(event, uid);

	return user ? user->name : NULL;
}

const char *sinsp_event_group_name(const struct sinsp_event *event, uint32_t gid)
{
	struct sinsp_container_users *own;
	enum owner owner = owner_of(event, &own);
	const struct user_entry *group = NULL;

	if (owner == OWNER_HOST)
		return sinsp_group_name(event->sinsp, gid);
	if (owner == OWNER_CONTAINER)
		group = users_find(&own->groups, gid, event->sinsp->now_ns);
	return group ? group->name : NULL;
}

const char *sinsp_host_name(const struct sinsp *sinsp, const uint8_t *address, size_t len)
{
	return hosts_name(&sinsp->names->hosts, address, len);
}

uint64_t sinsp_boot(const struct sinsp *sinsp)
{
	return sinsp->boot;
}

const char *sinsp_hostname(const struct sinsp *sinsp)
{
	return sinsp->machine.hostname;
}

uint64_t sinsp_run_ns(const struct sinsp_event *event)
{
	return event->sinsp->run_ns;
}
