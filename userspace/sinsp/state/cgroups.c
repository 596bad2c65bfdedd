/* SPDX-License-Identifier: MIT */
/* Visits the groups that changed since a revision, and gives the text of their paths. */
#include "sinsp/state/cgroups.h"

#include "sinsp/state/core.h"

uint64_t state_revision(const struct state *state)
{
	return state->containers.revisions;
}

uint64_t state_cgroups_forgotten(const struct state *state)
{
	return state->containers.forgotten;
}

void state_visit_cgroups(const struct state *state, uint64_t since,
			 void (*visit)(const struct state_cgroups *cgroups, void *context),
			 void *context)
{
	state_cgroups_each(&state->containers, since, visit, context);
}

const char *state_cgroups_text(const struct state_cgroups *cgroups, size_t *len)
{
	*len = cgroups->len;
	return cgroups->text;
}

bool state_cgroups_await_container(const struct state_cgroups *cgroups)
{
	const struct state_container *container = cgroups->container;

	return container && (container->links[STATE_CONTAINERS_NEW].listed ||
			     state_container_state(container) == STATE_META_PENDING);
}

bool state_cgroups_await_users(const struct state *state, const struct state_cgroups *cgroups)
{
	return state->proc && cgroups->container && !cgroups->container->users_read;
}

bool state_cgroups_await_pod(const struct state_cgroups *cgroups)
{
	const struct state_container *container = cgroups->container;

	return container && container->pod_uid[0] && !(container->pod && container->pod->info);
}
