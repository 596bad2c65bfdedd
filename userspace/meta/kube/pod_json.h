/* SPDX-License-Identifier: MIT */
/* Descriptions of pods from the JSON of the API. */
#ifndef META_KUBE_POD_JSON_H
#define META_KUBE_POD_JSON_H

#include <jansson.h>

#include "sinsp/state/cgroup_path.h"
#include "sinsp/state/pods.h"

/*
 * Copies the uid that the control groups of the pod have: its own, or that of the static pod which
 * it mirrors. Returns false if the object is no pod.
 */
bool pod_json_uid(const json_t *pod, char uid[SINSP_POD_UID_BYTES]);

/* The description of an object with a uid; NULL if out of memory. */
struct sinsp_pod_info *pod_json_describe(const json_t *pod, const char *uid);

/* A hash of all that a description says. */
uint64_t pod_json_digest(const struct sinsp_pod_info *info);

#endif
