/* SPDX-License-Identifier: MIT */
/* Lists of containers, in the order in which they were added: see enum sinsp_container_listing. */
#ifndef SINSP_STATE_CONTAINER_LIST_H
#define SINSP_STATE_CONTAINER_LIST_H

#include "sinsp/state/container.h"

struct sinsp_container_list {
	struct sinsp_container *oldest, *newest;
	uint32_t count;
};

/* All of a table's; zeroed ones are empty. */
struct sinsp_container_lists {
	struct sinsp_container_list of[SINSP_CONTAINERS_LISTS];
};

/* Does nothing if it is in the list. */
void sinsp_container_list_add(struct sinsp_container_lists *lists,
			      struct sinsp_container *container,
			      enum sinsp_container_listing which);

/* Does nothing if it is not in the list. */
void sinsp_container_list_remove(struct sinsp_container_lists *lists,
				 struct sinsp_container *container,
				 enum sinsp_container_listing which);

#endif
