/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of pods from the JSON of the API, the workload that a pod belongs to, and what was
 * passed on of it.
 */
#ifndef META_POD_JSON_H
#define META_POD_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/containers/cgroup_path.h"
#include "sinsp/state/containers/pods.h"

/* The workload that a pod belongs to, found from the pod alone. */

struct pod_workload {
	const char *owner_kind, *owner_name; /* what controls the pod; NULL: nothing */
	const char *kind; /* NULL: not known. In the memory of the pod, or constant */
	const char *name; /* in the memory of the pod; no NUL follows */
	size_t name_len;
	/*
	 * It owns the pod's owner, as the names suggest: another object could have been given such
	 * a name.
	 */
	bool derived;
};

/* pod: the JSON of a pod, which the result refers to. */
struct pod_workload pod_workload_of(const json_t *pod);

/* Descriptions of pods from the JSON of the API. */

/*
 * Copies the uid that the control groups of the pod have: its own, or that of the static pod which
 * it mirrors. Returns false if the object is no pod.
 */
bool pod_json_uid(const json_t *pod, char uid[STATE_POD_UID_BYTES]);

/* The description of an object with a uid; NULL if out of memory. */
struct state_pod_info *pod_json_describe(const json_t *pod, const char *uid);

/* A hash of all that a description says. */
uint64_t pod_json_digest(const struct state_pod_info *info);

/*
 * The pods that were passed on, to pass on only what changes, and to find what a list does not have
 * any more.
 */

/* Kubelet runs 110 pods by default, and up to some hundreds. */
enum { KNOWN_PODS_MAX = 2048 };

struct pod_known {
	char uid[STATE_POD_UID_BYTES];
	uint32_t list; /* the last one that had it */
	uint64_t digest;
};

/* Zeroed: none is known. */
struct pods_known {
	struct pod_known *items; /* owned; in any order */
	size_t count, room;
	uint32_t list; /* the current one */
	size_t max; /* 0: KNOWN_PODS_MAX */
};

enum pods_known_result {
	KNOWN_SAME,
	KNOWN_CHANGED, /* or new */
	KNOWN_REJECTED, /* there are too many, or no memory */
};

/* A pod is there, with a description of that digest. */
enum pods_known_result pods_known_put(struct pods_known *known, const char *uid, uint64_t digest);

/* A pod is gone. Returns whether it was known. */
bool pods_known_remove(struct pods_known *known, const char *uid);

/* A list of all pods begins. What is put from here on is part of it. */
void pods_known_begin(struct pods_known *known);

/*
 * It ended: removes a pod that it did not have, whose uid is copied. Returns false when there is
 * none left.
 */
bool pods_known_take_missing(struct pods_known *known, char uid[STATE_POD_UID_BYTES]);

void pods_known_finish(struct pods_known *known);

#endif
