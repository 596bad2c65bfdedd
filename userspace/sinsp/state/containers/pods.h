/* SPDX-License-Identifier: MIT */
/*
 * Pods of Kubernetes, by uid; and what descriptions of them and of containers are made of: texts,
 * labels, images. A pod has an entry as long as a container is in it or the API of
 * Kubernetes describes it.
 */
#ifndef SINSP_STATE_CONTAINERS_PODS_H
#define SINSP_STATE_CONTAINERS_PODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/*
 * The memory of a description, and how much of it is used; a zeroed struct is empty. Texts are
 * NUL-terminated UTF-8; NULL: not known.
 */
struct state_texts {
	struct arena arena; /* owned: of all that the description refers to */
	uint32_t bytes; /* of the texts, to limit them */
	uint32_t left_out; /* texts and items that were too many or too long */
};

enum state_answer { STATE_UNKNOWN, STATE_NO, STATE_YES };

struct state_label {
	const char *name, *value;
};

struct state_labels {
	const struct state_label *items;
	size_t count;
};

/* The image of a container. */
struct state_image {
	const char *name; /* as it was asked for: "nginx:latest" */
	const char *id; /* hexadecimal digits, without "sha256:" */
	const char *repository, *tag; /* of the name */
	const char *digest; /* with "sha256:" */
};

/*
 * A pod of Kubernetes. The runtime of a container knows some of it, the API of Kubernetes all. A
 * description by the API is made outside of the engine, by one thread at a time, and never changes
 * once the engine has it: new data is a new description.
 */

/* What controls the pod: "ReplicaSet", "Job"; without a kind if nothing does. */
struct state_owner {
	const char *kind, *name;
};

/* What a user made: the pod's owner, or what owns that; "Pod" if there is no owner. */
struct state_workload {
	const char *kind, *name;
	bool derived; /* from the name of the owner, as another object could be named, too */
};

struct state_pod {
	/*
	 * As the paths of control groups and runtimes have it. That of a static pod is the hash of
	 * its file: in the API, the annotation kubernetes.io/config.hash.
	 */
	const char *uid;
	const char *name, *ns;
	const char *sandbox_id; /* whole; only runtimes know it */
	const char *ip, *node, *cluster, *service_account;
	struct state_owner owner;
	struct state_workload workload;
	struct state_labels labels, annotations;
};

/* A container as the API shows it: since it was started for the first time. */
struct state_pod_container {
	const char *id; /* whole, without "containerd://" */
	const char *name; /* in the pod */
	struct state_image image;
};

struct state_pod_containers {
	const struct state_pod_container *items;
	size_t count;
};

/* A description by the API. */
struct state_pod_info {
	struct state_texts texts;
	struct state_pod pod; /* with a uid */
	const char *api_uid; /* metadata.uid, if that is another one than pod.uid */
	struct state_pod_containers containers;
};

/* An empty description; NULL if out of memory. */
struct state_pod_info *state_pod_info_create(void);

/* Accepts NULL. */
void state_pod_info_destroy(struct state_pod_info *info);

/* Approximate memory of a description. */
size_t state_pod_info_bytes(const struct state_pod_info *info);

/* Whether two descriptions say the same. */
bool state_pod_info_equal(const struct state_pod_info *info, const struct state_pod_info *other);

/* Completes what a runtime says of a pod by what the API does, which is newer and not copied. */
void state_pod_complete(struct state_pod *pod, const struct state_pod *by_api);

/*
 * The table of pods by uid. A pod has an entry as long as a container is in it or the API of
 * Kubernetes describes it. The API removes a pod before the last events of its containers come: its
 * description is kept for a while.
 */

struct state_container;

struct state_pod_entry {
	struct state_pod_entry *next; /* of the same bucket */
	struct state_pod_entry *older, *newer; /* of struct state_pods.oldest */
	const struct state_pod_info *info; /* owned; NULL: the API does not describe it */
	struct state_container *containers; /* those in it: see state_container_set_pod() */
	bool removed; /* from the API */
	bool is_kept; /* in the list of struct state_pods.oldest */
	char uid[];
};

enum {
	STATE_PODS_BUCKETS = 256,
	STATE_PODS_KEPT_MAX = 1024,
	STATE_PODS_BYTES_MAX = 32 << 20,
};

/* A zeroed struct is an empty table. */
struct state_pods {
	struct state_pod_entry *buckets[STATE_PODS_BUCKETS];
	struct state_pod_entry *oldest, *newest; /* those kept: removed, and without a container */
	uint32_t count, described, kept;
	size_t bytes; /* of all descriptions */
	const char *node, *cluster; /* that the pods here are of; borrowed; NULL: not known */
	uint64_t dropped; /* descriptions of pods that the API has: no room, or out of memory */
};

/* Every container has left its pod. */
void state_pods_finish(struct state_pods *pods);

/* The pod of a uid, or NULL. */
struct state_pod_entry *state_pods_find(const struct state_pods *pods, const char *uid);

/* The pod of a uid, which is added if there is none. NULL if out of memory. */
struct state_pod_entry *state_pods_get(struct state_pods *pods, const char *uid);

/* The pod whose description has a container of this whole id, or NULL. */
struct state_pod_entry *state_pods_find_with(const struct state_pods *pods, const char *id);

/*
 * Replaces what the API says of a pod. Owns `info`. Returns the pod, or NULL if nothing changes:
 * the description says the same, or is dropped, as one without a uid.
 */
struct state_pod_entry *state_pods_describe(struct state_pods *pods, struct state_pod_info *info);

/* The API removed a pod: that with this uid, or with this api_uid. */
void state_pods_forget(struct state_pods *pods, const char *uid);

/* To be called when the first container entered a pod, or the last one left. May free the pod. */
void state_pods_containers_changed(struct state_pods *pods, struct state_pod_entry *pod);

#endif
