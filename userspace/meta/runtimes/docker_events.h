/* SPDX-License-Identifier: MIT */
/* The list of containers of Docker's REST API, and its stream of events; also Podman's. */
#ifndef META_RUNTIMES_DOCKER_EVENTS_H
#define META_RUNTIMES_DOCKER_EVENTS_H

#include "meta/runtimes/docker_api.h"
#include "meta/runtimes/events.h"

/* All containers, also those that do not run. Returns 0, or -errno with a message. */
int docker_events_list(struct docker_api *docker, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err);

/* Returns 0. */
int docker_events_begin(const struct docker_api *docker, struct runtime_events *events);

#endif
