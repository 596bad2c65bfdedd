/* SPDX-License-Identifier: MIT */
/*
 * The pods that were passed on, to pass on only what changes, and to find what a list does not have
 * any more.
 */
#ifndef META_KUBE_KNOWN_PODS_H
#define META_KUBE_KNOWN_PODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/cgroup_path.h"

/* Kubelet runs 110 pods by default, and up to some hundreds. */
enum { KNOWN_PODS_MAX = 2048 };

struct known_pod {
	char uid[SINSP_POD_UID_BYTES];
	uint32_t list; /* the last one that had it */
	uint64_t digest;
};

/* Zeroed: none is known. */
struct known_pods {
	struct known_pod *items; /* owned; in any order */
	size_t count, room;
	uint32_t list; /* the current one */
};

enum known_result {
	KNOWN_SAME,
	KNOWN_CHANGED, /* or new */
	KNOWN_REJECTED, /* there are too many, or no memory */
};

/* A pod is there, with a description of that digest. */
enum known_result known_pods_put(struct known_pods *known, const char *uid, uint64_t digest);

/* A pod is gone. Returns whether it was known. */
bool known_pods_remove(struct known_pods *known, const char *uid);

/* A list of all pods begins. What is put from here on is part of it. */
void known_pods_begin(struct known_pods *known);

/*
 * It ended: removes a pod that it did not have, whose uid is copied. Returns false when there is
 * none left.
 */
bool known_pods_take_missing(struct known_pods *known, char uid[SINSP_POD_UID_BYTES]);

void known_pods_finish(struct known_pods *known);

#endif
