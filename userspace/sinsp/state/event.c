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
	return state_thread_find(sinsp, thread->pid);
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
