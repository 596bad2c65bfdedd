/* SPDX-License-Identifier: MIT */
/*
 * Users and groups from events of a capture. Those of containers are ignored: outside, the same ids
 * mean others.
 */
#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"

_Static_assert((int)useradded__uid == (int)userdeleted__uid &&
		       (int)useradded__uid == (int)groupadded__gid &&
		       (int)useradded__uid == (int)groupdeleted__gid,
	       "the code below reads them under one name");

/* Whether the id, the first parameter of all of them, belongs to the host, not a container. */
static bool is_of_host(const struct event *ev, unsigned int container)
{
	const char *name = event_param_string(ev, container);

	return event_param_present(ev, useradded__uid) && (!name || !*name);
}

static void replace(struct users *users, const struct user_entry *user)
{
	users_remove(users, user->id);
	if (user->name)
		users_add(users, user);
}

void state_user_added(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	const struct user_entry user = {
		.id = (uint32_t)event_param_u64(ev, useradded__uid),
		.gid = (uint32_t)event_param_u64(ev, useradded__gid),
		.name = event_param_string(ev, useradded__name),
		.home = event_param_string(ev, useradded__home),
		.shell = event_param_string(ev, useradded__shell),
	};

	if (is_of_host(ev, useradded__container_id))
		replace(&sinsp->names->users, &user);
}

void state_user_deleted(struct sinsp *sinsp, struct state_event *event)
{
	if (is_of_host(event->ev, userdeleted__container_id))
		users_remove(&sinsp->names->users,
			     (uint32_t)event_param_u64(event->ev, userdeleted__uid));
}

void state_group_added(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	const struct user_entry group = {
		.id = (uint32_t)event_param_u64(ev, groupadded__gid),
		.name = event_param_string(ev, groupadded__name),
	};

	if (is_of_host(ev, groupadded__container_id))
		replace(&sinsp->names->groups, &group);
}

void state_group_deleted(struct sinsp *sinsp, struct state_event *event)
{
	if (is_of_host(event->ev, groupdeleted__container_id))
		users_remove(&sinsp->names->groups,
			     (uint32_t)event_param_u64(event->ev, groupdeleted__gid));
}
