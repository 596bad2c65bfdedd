/* SPDX-License-Identifier: MIT */
/*
 * The source of descriptions that needs no socket: the files of runtimes, those of Podman and
 * Docker among them; and containers whose id is a name that somebody chose.
 */
#ifndef META_RUNTIMES_FILES_H
#define META_RUNTIMES_FILES_H

#include <jansson.h>
#include <stdint.h>

#include "meta/runtimes/bundle.h"
#include "meta/source.h"
#include "sinsp/state/containers/cgroup_path.h"

/*
 * The lists of containers of the library that stores them for Podman: names and images. Their
 * labels are only in its database.
 */

struct files_podman;

/* NULL if out of memory. */
struct files_podman *files_podman_create(const char *host_root);
void files_podman_destroy(struct files_podman *podman); /* accepts NULL */

/*
 * Describes a container from the lists that its bundle leads to, or those of root at their default
 * places. Returns 0, -ENOENT, or another -errno with a message.
 */
int files_podman_describe(struct files_podman *podman, const struct meta_request *request,
			  const struct bundle *bundle, struct state_container_info *info,
			  struct error *err);

/* Docker's own files about a container. */

/*
 * Describes a container from config.v2.json and hostconfig.json: those that its bundle leads to, or
 * at their default place. Returns 0, -ENOENT, or another -errno with a message.
 */
int files_docker_describe(const char *host_root, const struct meta_request *request,
			  const struct bundle *bundle, struct state_container_info *info,
			  struct error *err);

/* The parts of Docker's files that its API has, too; each may be NULL. */

/* hostconfig.json: whether it is privileged, and shares namespaces with the host. */
void files_docker_host_config(const json_t *config, struct state_container_info *info);

/* The first of its networks that gives it an address. */
void files_docker_networks(const json_t *networks, struct state_container_info *info);

/*
 * Containers that run whose id is a name that somebody chose, as runc and crun alone leave it to
 * the user: their control groups do not tell that they are containers, but files of root do.
 */

enum { NAMED_MAX = 4096 }; /* that are looked at */

struct files_named {
	const char *id;
	int64_t pid; /* of its first process, in the pid namespace of the host; it may have ended */
	enum state_container_type type;
};

/*
 * Reports each, of files that root alone can have written. host_root: a prefix of all paths; NULL:
 * none. What cannot be read is left out.
 */
void files_named_each(const char *host_root,
		      void (*found)(void *data, const struct files_named *named), void *data);

/*
 * The source of what all these files say; they exist before the first process of a container runs.
 * host_root: a prefix of all paths, as "/host" if the root of the host is mounted there; borrowed;
 * NULL: none. NULL if out of memory.
 */
struct meta_source *meta_files_create(const char *host_root);

#endif
