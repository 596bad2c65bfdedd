/* SPDX-License-Identifier: MIT */
/*
 * The table of pods by uid. A pod has an entry as long as a container is in it or the API of
 * Kubernetes describes it. The API removes a pod before the last events of its containers come: its
 * description is kept for a while.
 */
#ifndef SINSP_STATE_PODS_H
#define SINSP_STATE_PODS_H

#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/pod.h"

struct sinsp_container;

struct sinsp_pod_entry {
	struct sinsp_pod_entry *next; /* of the same bucket */
	struct sinsp_pod_entry *older, *newer; /* of struct sinsp_pods.oldest */
	const struct sinsp_pod_info *info; /* owned; NULL: the API does not describe it */
	struct sinsp_container *containers; /* those in it: see container_pod.h */
	bool removed; /* from the API */
	bool is_kept; /* in the list of struct sinsp_pods.oldest */
	char uid[];
};

enum {
	SINSP_PODS_BUCKETS = 256,
	SINSP_PODS_KEPT_MAX = 1024,
	SINSP_PODS_BYTES_MAX = 32 << 20,
};

/* A zeroed struct is an empty table. */
struct sinsp_pods {
	struct sinsp_pod_entry *buckets[SINSP_PODS_BUCKETS];
	struct sinsp_pod_entry *oldest, *newest; /* those kept: removed, and without a container */
	uint32_t count, described, kept;
	size_t bytes; /* of all descriptions */
	const char *node, *cluster; /* that the pods here are of; borrowed; NULL: not known */
	uint64_t dropped; /* descriptions of pods that the API has: no room, or out of memory */
};

/* Every container has left its pod. */
void sinsp_pods_finish(struct sinsp_pods *pods);

/* The pod of a uid, or NULL. */
struct sinsp_pod_entry *sinsp_pods_find(const struct sinsp_pods *pods, const char *uid);

/* The same; it is added if there is none. NULL if out of memory. */
struct sinsp_pod_entry *sinsp_pods_get(struct sinsp_pods *pods, const char *uid);

/* The pod whose description has a container of this whole id, or NULL. */
struct sinsp_pod_entry *sinsp_pods_find_with(const struct sinsp_pods *pods, const char *id);

/*
 * Replaces what the API says of a pod. Owns `info`. Returns the pod, or NULL if nothing changes:
 * the description says the same, or is dropped, as one without a uid.
 */
struct sinsp_pod_entry *sinsp_pods_describe(struct sinsp_pods *pods, struct sinsp_pod_info *info);

/* The API removed a pod: that with this uid, or with this api_uid. */
void sinsp_pods_forget(struct sinsp_pods *pods, const char *uid);

/* To be called when the first container entered a pod, or the last one left. May free the pod. */
void sinsp_pods_containers_changed(struct sinsp_pods *pods, struct sinsp_pod_entry *pod);

#endif
