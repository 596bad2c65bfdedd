/* SPDX-License-Identifier: MIT */
/*
 * A pod of Kubernetes. The runtime of a container knows some of it, the API of Kubernetes all. A
 * description by the API is made outside of the engine, by one thread at a time, and never changes
 * once the engine has it: new data is a new description.
 */
#ifndef SINSP_STATE_POD_H
#define SINSP_STATE_POD_H

#include <stdbool.h>

#include "sinsp/state/info.h"

/* What controls the pod: "ReplicaSet", "Job"; without a kind if nothing does. */
struct sinsp_owner {
	const char *kind, *name;
};

/* What a user made: the pod's owner, or what owns that; "Pod" if there is no owner. */
struct sinsp_workload {
	const char *kind, *name;
	bool derived; /* from the name of the owner, as another object could be named, too */
};

struct sinsp_pod {
	/*
	 * As the paths of control groups and runtimes have it. That of a static pod is the hash of
	 * its file: in the API, the annotation kubernetes.io/config.hash.
	 */
	const char *uid;
	const char *name, *ns;
	const char *sandbox_id; /* whole; only runtimes know it */
	const char *ip, *node, *cluster, *service_account;
	struct sinsp_owner owner;
	struct sinsp_workload workload;
	struct sinsp_labels labels, annotations;
};

/* A container as the API shows it: since it was started for the first time. */
struct sinsp_pod_container {
	const char *id; /* whole, without "containerd://" */
	const char *name; /* in the pod */
	struct sinsp_image image;
};

struct sinsp_pod_containers {
	const struct sinsp_pod_container *items;
	size_t count;
};

/* A description by the API. */
struct sinsp_pod_info {
	struct sinsp_texts texts;
	struct sinsp_pod pod; /* with a uid */
	const char *api_uid; /* metadata.uid, if that is another one than pod.uid */
	struct sinsp_pod_containers containers;
};

/* An empty description; NULL if out of memory. */
struct sinsp_pod_info *sinsp_pod_info_create(void);

/* Accepts NULL. */
void sinsp_pod_info_destroy(struct sinsp_pod_info *info);

/* Approximate memory of a description. */
size_t sinsp_pod_info_bytes(const struct sinsp_pod_info *info);

/* Whether two descriptions say the same. */
bool sinsp_pod_info_equal(const struct sinsp_pod_info *info, const struct sinsp_pod_info *other);

/* Completes what a runtime says of a pod by what the API does, which is newer and not copied. */
void sinsp_pod_complete(struct sinsp_pod *pod, const struct sinsp_pod *by_api);

#endif
