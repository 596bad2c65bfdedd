/* SPDX-License-Identifier: MIT */
/* Docker's own files about a container. */
#ifndef META_RUNTIMES_DOCKER_H
#define META_RUNTIMES_DOCKER_H

#include <jansson.h>

#include "meta/runtimes/bundle.h"

/*
 * Describes a container from config.v2.json and hostconfig.json: those that its bundle leads to, or
 * at their default place. Returns 0, -ENOENT, or another -errno with a message.
 */
int docker_describe(const char *host_root, const struct meta_request *request,
		    const struct bundle *bundle, struct state_container_info *info,
		    struct error *err);

/* The parts of Docker's files that its API has, too; each may be NULL. */

/* hostconfig.json: whether it is privileged, and shares namespaces with the host. */
void docker_describe_host_config(const json_t *config, struct state_container_info *info);

/* The first of its networks that gives it an address. */
void docker_describe_networks(const json_t *networks, struct state_container_info *info);

#endif
