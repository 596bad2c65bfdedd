/* SPDX-License-Identifier: MIT */
/* What Docker's answer for GET /containers/ID/json says of a container. */
#ifndef META_RUNTIMES_DOCKER_API_JSON_H
#define META_RUNTIMES_DOCKER_API_JSON_H

#include "util/json_input.h"
#include "sinsp/state/container.h"

/* The whole id; "" if there is none. */
const char *docker_api_json_id(const json_t *answer);

/* Adds all but the names of the image. */
void docker_api_json_fill(const json_t *answer, struct sinsp_container_info *info);

#endif
