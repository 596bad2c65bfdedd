/* SPDX-License-Identifier: MIT */
#include "sinsp/tables/container.h"

#include <stdlib.h>

#include "sinsp/tables/pods.h"

struct sinsp_container_info *sinsp_container_info_create(void)
{
	return calloc(1, sizeof(struct sinsp_container_info));
}

void sinsp_container_info_destroy(struct sinsp_container_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

const char *sinsp_meta_state_name(enum sinsp_meta_state state)
{
	static const char *const names[SINSP_META_STATES_COUNT] = {
		[SINSP_META_MISSING] = "missing",
		[SINSP_META_PENDING] = "pending",
		[SINSP_META_OK] = "ok",
	};

	return names[state];
}

enum sinsp_meta_state sinsp_container_state(const struct sinsp_container *container)
{
	bool by_pod = container->is_listed && container->state == SINSP_META_MISSING;

	return by_pod ? SINSP_META_OK : container->state;
}

bool sinsp_container_is_described(const struct sinsp_container *container)
{
	return container->runtime_info || (container->pod && container->pod->info);
}

size_t sinsp_container_short_len(const struct sinsp_container *container)
{
	bool whole = container->is_named || container->id_len < SINSP_CONTAINER_SHORT_LEN;

	return whole ? container->id_len : SINSP_CONTAINER_SHORT_LEN;
}
