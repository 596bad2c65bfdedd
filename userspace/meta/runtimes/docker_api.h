/* SPDX-License-Identifier: MIT */
/* Descriptions of containers from Docker's REST API, which Podman answers too. */
#ifndef META_RUNTIMES_DOCKER_API_H
#define META_RUNTIMES_DOCKER_API_H

#include <jansson.h>

#include "net/http.h"
#include "sinsp/state/container.h"

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
			struct sinsp_container_info *info, struct error *err);

#endif
