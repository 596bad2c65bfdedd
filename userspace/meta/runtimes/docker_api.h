/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers from Docker's REST API, which Podman answers too: single ones, the
 * list of all, events.
 */
#ifndef META_RUNTIMES_DOCKER_API_H
#define META_RUNTIMES_DOCKER_API_H

#include <jansson.h>

#include "meta/runtimes/events.h"
#include "net/http.h"
#include "sinsp/state/containers/container.h"
#include "util/json_input.h"

/* What Docker's answer for GET /containers/ID/json says of a container. */

/* The whole id; "" if there is none. */
const char *docker_api_json_id(const json_t *answer);

/* Adds all but the names of the image. */
void docker_api_json_fill(const json_t *answer, struct state_container_info *info);

/* Descriptions of containers from Docker's REST API, which Podman answers too. */

/* What is known of a daemon until its connection fails. */
struct docker_api {
	struct http *http; /* not owned */
	const char *path; /* of the socket, for messages; not owned */
	bool is_podman;
	char version[32]; /* of paths: "/v1.44"; "" if the daemon has its own default */
	struct docker_images *images; /* owned; their digests, the oldest of which are replaced */
};

/*
 * Asks a server whether it is one, and for its version. Returns 0, -EPROTO if it is something else,
 * or the -errno of http_request(), both with a message. docker_api_finish() is needed in either
 * case.
 */
int docker_api_init(struct docker_api *docker, struct http *http, const char *path,
		    uint64_t deadline_ns, struct error *err);

/* Accepts a zeroed one. */
void docker_api_finish(struct docker_api *docker);

/*
 * Sends GET. Returns 0 with an object or an array of up to so many values, which the caller
 * releases; -ENOENT; or another -errno with a message.
 */
int docker_api_get(struct docker_api *docker, const char *path, size_t values_max,
		   uint64_t deadline_ns, json_t **answer, struct error *err);

/* Whether an id may be part of a path. */
bool docker_api_is_plain(const char *id);

/*
 * Adds what the daemon knows of a container. Returns 0, -ENOENT if it does not know it, or another
 * -errno with a message.
 */
int docker_api_describe(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			struct state_container_info *info, struct error *err);

/* The list of containers of Docker's REST API, and its stream of events; also Podman's. */

/* All containers, also those that do not run. Returns 0, or -errno with a message. */
int docker_events_list(struct docker_api *docker, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err);

/*
 * What the list has of one container. For that the daemon waits for no lock; for an answer about
 * one it does, while it starts that. Returns META_SOURCE_PART, -ENOENT, or another -errno with a
 * message.
 */
int docker_events_look_up(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			  struct state_container_info *info, struct error *err);

/* Returns 0 or -errno. */
int docker_events_begin(const struct docker_api *docker, struct runtime_events *events);

#endif
