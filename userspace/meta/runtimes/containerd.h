/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers by containerd's own interface, for those that the Container Runtime
 * Interface does not know: of ctr and nerdctl; and its events, which are about all of them.
 * Docker's containers are left to Docker.
 */
#ifndef META_RUNTIMES_CONTAINERD_H
#define META_RUNTIMES_CONTAINERD_H

#include "meta/runtimes/events.h"
#include "meta/runtimes/grpc.h"

struct containerd {
	struct grpc grpc;
};

/* As cri_init(). */
int containerd_init(struct containerd *containerd, struct http *http, const char *path,
		    uint64_t deadline_ns, struct error *err);

/*
 * Adds what containerd knows of a container. Returns 0; META_SOURCE_SOME if it is of Kubernetes,
 * whose interface knows more; -ENOENT if it does not know it, or several have that id in different
 * namespaces; or another -errno with a message.
 */
int containerd_describe(const struct containerd *containerd, const char *id, uint64_t deadline_ns,
			struct state_container_info *info, struct error *err);

/* All containers. Returns 0, or -errno with a message. */
int containerd_list(const struct containerd *containerd, uint64_t deadline_ns,
		    const struct runtime_list *list, struct error *err);

/* Returns 0 or -errno. */
int containerd_begin_events(struct runtime_events *events);

#endif
