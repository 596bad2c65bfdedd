/* SPDX-License-Identifier: MIT */
/*
 * The lists of containers of the library that stores them for Podman: names and images. Their
 * labels are only in its database.
 */
#ifndef META_RUNTIMES_PODMAN_H
#define META_RUNTIMES_PODMAN_H

#include "meta/runtimes/bundle.h"

struct podman;

/* NULL if out of memory. */
struct podman *podman_create(const char *host_root);
void podman_destroy(struct podman *podman); /* accepts NULL */

/*
 * Describes a container from the lists that its bundle leads to, or those of root at their default
 * places. Returns 0, -ENOENT, or another -errno with a message.
 */
int podman_describe(struct podman *podman, const struct meta_request *request,
		    const struct bundle *bundle, struct state_container_info *info,
		    struct error *err);

#endif
