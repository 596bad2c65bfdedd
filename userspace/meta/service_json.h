/* SPDX-License-Identifier: MIT */
/* Descriptions of Services and EndpointSlices from the JSON of the API. */
#ifndef META_SERVICE_JSON_H
#define META_SERVICE_JSON_H

#include <jansson.h>

#include "sinsp/state/containers/services.h"

/* Places of one object; further ones are left out and counted. */
enum { SERVICE_PLACES_MAX = 8192 };

/* Of an object with that uid; NULL if out of memory. */
struct state_service_info *service_json_describe(const json_t *service, const char *uid);
struct state_service_info *service_json_describe_slice(const json_t *slice, const char *uid);

/* A hash of all that a description says. */
uint64_t service_json_digest(const struct state_service_info *info);

#endif
