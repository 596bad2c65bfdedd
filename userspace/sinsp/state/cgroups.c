/* SPDX-License-Identifier: MIT */
#include "sinsp/state/cgroups.h"

#include "sinsp/state/core.h"

uint64_t sinsp_revision(const struct sinsp *sinsp)
{
	return sinsp->containers.revisions;
}

void sinsp_visit_cgroups(const struct sinsp *sinsp, uint64_t since,
			 void (*visit)(const struct sinsp_cgroups *cgroups, void *context),
			 void *context)
{
	sinsp_cgroups_each(&sinsp->containers, since, visit, context);
}
