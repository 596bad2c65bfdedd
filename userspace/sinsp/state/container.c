/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container.h"

#include <stdlib.h>

#include "sinsp/state/pods.h"

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
		[SINSP_META_UNVERIFIED] = "unverified",
		[SINSP_META_ROOTLESS] = "rootless",
	};

	return names[state];
}

enum sinsp_meta_state sinsp_container_state(const struct sinsp_container *container)
{
	static const enum sinsp_meta_state of_user[SINSP_META_STATES_COUNT] = {
		[SINSP_META_MISSING] = SINSP_META_UNVERIFIED,
		[SINSP_META_PENDING] = SINSP_META_PENDING,
		[SINSP_META_OK] = SINSP_META_ROOTLESS,
		[SINSP_META_UNVERIFIED] = SINSP_META_UNVERIFIED,
		[SINSP_META_ROOTLESS] = SINSP_META_ROOTLESS,
	};
	bool is_known = container->state == SINSP_META_OK || container->state == SINSP_META_PENDING;

	if (container->owner != SINSP_OWNER_ROOT)
		return of_user[container->state];
	return container->is_listed && !is_known ? SINSP_META_OK : container->state;
}

bool sinsp_container_can_be_described(const struct sinsp_container *container)
{
	return container->owner == SINSP_OWNER_ROOT || (container->owner != SINSP_OWNER_ANYBODY &&
							container->type == SINSP_CONTAINER_PODMAN);
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
