/* SPDX-License-Identifier: MIT */
/* Visits the groups that changed since a revision, and gives the text of their paths. */
#include "sinsp/state/cgroups.h"

#include "sinsp/state/core.h"

uint64_t sinsp_revision(const struct sinsp *sinsp)
{
	return sinsp->containers.revisions;
}

uint64_t sinsp_cgroups_forgotten(const struct sinsp *sinsp)
{
	return sinsp->containers.forgotten;
}

void sinsp_visit_cgroups(const struct sinsp *sinsp, uint64_t since,
			 void (*visit)(const struct sinsp_cgroups *cgroups, void *context),
			 void *context)
{
	sinsp_cgroups_each(&sinsp->containers, since, visit, context);
}

const char *sinsp_cgroups_text(const struct sinsp_cgroups *cgroups, size_t *len)
{
	*len = cgroups->len;
	return cgroups->text;
}

bool sinsp_cgroups_await_container(const struct sinsp_cgroups *cgroups)
{
	const struct sinsp_container *container = cgroups->container;

	return container && (container->links[SINSP_CONTAINERS_NEW].listed ||
			     sinsp_container_state(container) == SINSP_META_PENDING);
}

bool sinsp_cgroups_await_users(const struct sinsp *sinsp, const struct sinsp_cgroups *cgroups)
{
	return sinsp->proc && cgroups->container && !cgroups->container->users_read;
}

bool sinsp_cgroups_await_pod(const struct sinsp_cgroups *cgroups)
{
	const struct sinsp_container *container = cgroups->container;

	return container && container->pod_uid[0] && !(container->pod && container->pod->info);
}
