/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers and pods by the Container Runtime Interface: single ones, the list of
 * all, events.
 */
#ifndef META_RUNTIMES_CRI_H
#define META_RUNTIMES_CRI_H

#include "meta/runtimes/cri.pb-c.h"
#include "meta/runtimes/events.h"
#include "meta/runtimes/grpc.h"
#include "sinsp/state/containers/container.h"

/*
 * The JSON texts that containerd and CRI-O add to verbose answers of the Container Runtime
 * Interface. A text that is NULL, or not understood, adds nothing.
 */

/* Adds whether a container is privileged, its image, and the id of its sandbox. */
void cri_info_fill_container(struct state_container_info *info, const char *text);

/* Adds the network of a sandbox. */
void cri_info_fill_sandbox(struct state_container_info *info, const char *text);

/*
 * Descriptions of containers and pods by the Container Runtime Interface, which containerd and
 * CRI-O serve for Kubernetes.
 */

#define CRI_SERVICE "/runtime.v1.RuntimeService/"

struct cri {
	struct grpc grpc;
	enum state_container_type type; /* containerd, CRI-O, or CRI for others */
};

/*
 * Asks a server whether it is one. Returns 0, -EOPNOTSUPP if it speaks gRPC but not this interface,
 * -EPROTO if it is something else, or another -errno, all with a message.
 */
int cri_init(struct cri *cri, struct http *http, const char *path, uint64_t deadline_ns,
	     struct error *err);

/*
 * Adds what the runtime knows of a container, or of the sandbox of a pod, and of its pod. Returns
 * 0, -ENOENT if it knows neither, or another -errno with a message.
 */
int cri_describe(const struct cri *cri, const char *id, uint64_t deadline_ns,
		 struct state_container_info *info, struct error *err);

/* Adds labels, or annotations. */
void cri_fill_labels(struct state_container_info *info, Cri__Text *const *texts, size_t count,
		     struct state_labels *member);

/* The list of containers and sandboxes of the Container Runtime Interface, and its events. */

/* All of them, also those that do not run. Returns 0, or -errno with a message. */
int cri_events_list(const struct cri *cri, uint64_t deadline_ns, const struct runtime_list *list,
		    struct error *err);

/* Returns 0 or -errno. */
int cri_events_begin(struct runtime_events *events);

#endif
