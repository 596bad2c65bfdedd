/* SPDX-License-Identifier: MIT */
#include "meta/update.h"

#include <stdlib.h>
#include <string.h>

struct meta_update *meta_update_create(enum meta_kind kind, const char *id)
{
	struct meta_update *update = calloc(1, sizeof(*update));

	if (!update)
		return NULL;
	update->kind = kind;
	update->id = id ? strdup(id) : NULL;
	if (!id || update->id)
		return update;
	free(update);
	return NULL;
}

void meta_update_destroy(struct meta_update *update)
{
	if (!update)
		return;
	sinsp_container_info_destroy(update->info);
	sinsp_pod_info_destroy(update->pod);
	sinsp_container_users_destroy(update->users);
	free(update->id);
	free(update);
}
