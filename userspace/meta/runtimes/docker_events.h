/* SPDX-License-Identifier: MIT */
/* The list of containers of Docker's REST API, and its stream of events; also Podman's. */
#ifndef META_RUNTIMES_DOCKER_EVENTS_H
#define META_RUNTIMES_DOCKER_EVENTS_H

#include "meta/runtimes/docker_api.h"
#include "meta/runtimes/events.h"

/* All containers, also those that do not run. Returns 0, or -errno with a message. */
int docker_events_list(struct docker_api *docker, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err);

/*
 * What the list has of one container. For that the daemon waits for no lock; for an answer about
 * one it does, while it starts that. Returns META_SOURCE_PART, -ENOENT, or another -errno with a
 * message.
 */
int docker_events_look_up(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			  struct sinsp_container_info *info, struct error *err);

/* Returns 0 or -errno. */
int docker_events_begin(const struct docker_api *docker, struct runtime_events *events);

#endif
