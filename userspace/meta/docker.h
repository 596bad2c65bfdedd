/* SPDX-License-Identifier: MIT */
/* Docker's own files about a container. */
#ifndef META_DOCKER_H
#define META_DOCKER_H

#include "meta/bundle.h"

/*
 * Describes a container from config.v2.json and hostconfig.json: those that its bundle leads to, or
 * at their default place. Returns 0, -ENOENT, or another -errno with a message.
 */
int docker_describe(const char *host_root, const struct meta_request *request,
		    const struct bundle *bundle, struct sinsp_container_info *info,
		    struct error *err);

#endif
