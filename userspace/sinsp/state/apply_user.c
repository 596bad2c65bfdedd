/* SPDX-License-Identifier: MIT */
/*
 * Users and groups from events of a capture. Those of containers are kept separate: outside, the
 * same ids mean others.
 */
#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"

_Static_assert((int)useradded__uid == (int)userdeleted__uid &&
		       (int)useradded__uid == (int)groupadded__gid &&
		       (int)useradded__uid == (int)groupdeleted__gid,
	       "the code below reads them under one name");

/* The tables that an event is about; NULL: none. */
struct tables {
	struct users *users, *groups;
};

static struct tables tables_of_container(struct sinsp *sinsp, const char *id)
{
	struct sinsp_container_users *own = sinsp_containers_own_users(&sinsp->containers, id);

	return own ? (struct tables){&own->users, &own->groups} : (struct tables){0};
}

/* `container` is the parameter with its id, which is empty for the host. */
static struct tables tables_of(struct sinsp *sinsp, const struct event *ev, unsigned int container)
{
	const char *id = event_param_string(ev, container);

	if (!event_param_present(ev, useradded__uid))
		return (struct tables){0};
	if (id && *id)
		return tables_of_container(sinsp, id);
	return (struct tables){&sinsp->names->users, &sinsp->names->groups};
}

static void replace(struct users *users, const struct user_entry *user)
{
	if (!users)
		return;
	users_remove(users, user->id);
	if (user->name)
		users_add(users, user);
}

static void forget(struct users *users, uint64_t id)
{
	if (users)
		users_remove(users, (uint32_t)id);
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

	replace(tables_of(sinsp, ev, useradded__container_id).users, &user);
}

void state_user_deleted(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;

	forget(tables_of(sinsp, ev, userdeleted__container_id).users,
	       event_param_u64(ev, userdeleted__uid));
}

void state_group_added(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	const struct user_entry group = {
		.id = (uint32_t)event_param_u64(ev, groupadded__gid),
		.name = event_param_string(ev, groupadded__name),
	};

	replace(tables_of(sinsp, ev, groupadded__container_id).groups, &group);
}

void state_group_deleted(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;

	forget(tables_of(sinsp, ev, groupdeleted__container_id).groups,
	       event_param_u64(ev, groupdeleted__gid));
}
