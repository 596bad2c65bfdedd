/* SPDX-License-Identifier: MIT */
/* What captures alone report in events: containers and users. */
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/containers/container_json.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "util/count.h"

/*
 * Containers from events of a capture: descriptions in JSON, as events of their own and, later, as
 * asynchronous events. They come before or after the threads of the container.
 */

/* A text up to its NUL, which asynchronous events may lack. */
static size_t text_len(const struct event_param *param)
{
	return strnlen((const char *)param->data, param->len);
}

static void apply_container_forget(struct state *state, const struct event_param *param)
{
	struct state_container_json read;

	if (state_container_json_read((const char *)param->data, text_len(param), false, &read)) {
		state->stats.descriptions_corrupt++;
		return;
	}
	state_containers_forget(&state->containers, read.id);
	state_container_info_destroy(read.info);
}

static void apply_capture_describe(struct state *state, const struct event_param *param)
{
	state_load_container(state, (const char *)param->data, text_len(param));
}

void apply_container(struct state *state, struct apply_event *event)
{
	apply_capture_describe(state, &event->ev->params[container__json]);
}

/* Those of other names are not about containers. */
void apply_asyncevent(struct state *state, struct apply_event *event)
{
	static const struct {
		const char *name;
		void (*apply)(struct state *state, const struct event_param *data);
	} kinds[] = {
		{"container", apply_capture_describe},
		{"container_removed", apply_container_forget},
	};
	const char *name = event_param_string(event->ev, asyncevent__name);

	for (size_t i = 0; name && i < COUNT(kinds); i++)
		if (strcmp(name, kinds[i].name) == 0)
			kinds[i].apply(state, &event->ev->params[asyncevent__data]);
}

/*
 * Users and groups from events of a capture. Those of containers are kept separate: outside, the
 * same ids mean others.
 */

_Static_assert((int)useradded__uid == (int)userdeleted__uid &&
		       (int)useradded__uid == (int)groupadded__gid &&
		       (int)useradded__uid == (int)groupdeleted__gid,
	       "the code below reads them under one name");

/* The tables that an event is about; NULL: none. */
struct tables {
	struct state_users *users, *groups;
};

static struct tables tables_of_container(struct state *state, const char *id)
{
	struct state_container_users *own = state_containers_own_users(&state->containers, id);

	return own ? (struct tables){&own->users, &own->groups} : (struct tables){0};
}

/* `container` is the parameter with its id, which is empty for the host. */
static struct tables tables_of(struct state *state, const struct event *ev, unsigned int container)
{
	const char *id = event_param_string(ev, container);

	if (!event_param_present(ev, useradded__uid))
		return (struct tables){0};
	if (id && *id)
		return tables_of_container(state, id);
	return (struct tables){&state->names->users, &state->names->groups};
}

static void apply_capture_replace(struct state_users *users, const struct state_user *user)
{
	if (!users)
		return;
	state_users_remove(users, user->id);
	if (user->name)
		state_users_add(users, user);
}

static void apply_user_forget(struct state_users *users, uint64_t id)
{
	if (users)
		state_users_remove(users, (uint32_t)id);
}

void apply_user_added(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct state_user user = {
		.id = (uint32_t)event_param_u64(ev, useradded__uid),
		.gid = (uint32_t)event_param_u64(ev, useradded__gid),
		.name = event_param_string(ev, useradded__name),
		.home = event_param_string(ev, useradded__home),
		.shell = event_param_string(ev, useradded__shell),
	};

	apply_capture_replace(tables_of(state, ev, useradded__container_id).users, &user);
}

void apply_user_deleted(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	apply_user_forget(tables_of(state, ev, userdeleted__container_id).users,
			  event_param_u64(ev, userdeleted__uid));
}

void apply_group_added(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct state_user group = {
		.id = (uint32_t)event_param_u64(ev, groupadded__gid),
		.name = event_param_string(ev, groupadded__name),
	};

	apply_capture_replace(tables_of(state, ev, groupadded__container_id).groups, &group);
}

void apply_group_deleted(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	apply_user_forget(tables_of(state, ev, groupdeleted__container_id).groups,
			  event_param_u64(ev, groupdeleted__gid));
}
