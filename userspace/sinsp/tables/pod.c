/* SPDX-License-Identifier: MIT */
#include "sinsp/tables/pod.h"

#include <stdlib.h>

struct sinsp_pod_info *sinsp_pod_info_create(void)
{
	return calloc(1, sizeof(struct sinsp_pod_info));
}

void sinsp_pod_info_destroy(struct sinsp_pod_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}
