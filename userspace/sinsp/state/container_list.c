/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_list.h"

void sinsp_container_list_add(struct sinsp_container_lists *lists,
			      struct sinsp_container *container, enum sinsp_container_listing which)
{
	struct sinsp_container_list *list = &lists->of[which];

	if (container->links[which].listed)
		return;
	container->links[which] =
		(struct sinsp_container_link){.older = list->newest, .listed = true};
	*(list->newest ? &list->newest->links[which].newer : &list->oldest) = container;
	list->newest = container;
	list->count++;
}

void sinsp_container_list_remove(struct sinsp_container_lists *lists,
				 struct sinsp_container *container,
				 enum sinsp_container_listing which)
{
	struct sinsp_container_list *list = &lists->of[which];
	struct sinsp_container_link *link = &container->links[which];

	if (!link->listed)
		return;
	*(link->older ? &link->older->links[which].newer : &list->oldest) = link->newer;
	*(link->newer ? &link->newer->links[which].older : &list->newest) = link->older;
	*link = (struct sinsp_container_link){0};
	list->count--;
}
