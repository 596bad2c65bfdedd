/* SPDX-License-Identifier: MIT */
/*
 * The OCI bundle of a container: where it is, its annotations, and the namespaces of the host with
 * which its own are compared.
 */
#ifndef META_RUNTIMES_BUNDLE_H
#define META_RUNTIMES_BUNDLE_H

#include <jansson.h>
#include <limits.h>
#include <stdint.h>

#include "meta/source.h"
#include "sinsp/state/containers/container.h"

/*
 * The namespaces of the host, with which those that containers join are compared. They are those of
 * the kernel's own threads, as long as the machine runs.
 */

enum bundle_namespace {
	HOST_NAMESPACE_PID,
	HOST_NAMESPACE_NETWORK,
	HOST_NAMESPACE_IPC,
	HOST_NAMESPACES
};

struct bundle_namespaces {
	const char *host_root; /* borrowed */
	uint64_t dev, inos[HOST_NAMESPACES]; /* 0: not known */
};

/*
 * Reads them from /proc below a prefix. Returns 0; -EXDEV if that /proc is not of the initial pid
 * namespace, where nobody knows the host's; or another -errno, as -EACCES without CAP_SYS_PTRACE or
 * -ENOENT with hidepid=: then none is known.
 */
int bundle_namespaces_read(const char *host_root, struct bundle_namespaces *hosts);

/* Whether a file below the same prefix is that namespace of the host. STATE_UNKNOWN: it cannot be
 * known. */
enum state_answer bundle_namespaces_compare(const struct bundle_namespaces *hosts,
					    enum bundle_namespace kind, const char *path);

/*
 * The annotations in the config.json of a bundle: managers of containers (containerd's CRI, CRI-O,
 * Podman) note there what they know of it.
 */

/* `annotations` may be anything, or NULL. */
void bundle_describe_annotations(const json_t *annotations, struct state_container_info *info);

/*
 * The OCI bundle of a container: the folder from which a runtime starts it. Its config.json exists
 * before the first process, and as long as the container runs.
 */

struct bundle {
	char path[PATH_MAX]; /* without the prefix of the host's root */
	json_t *spec; /* owned: its config.json; NULL: there is none */
	uint32_t left_out; /* items of it: see document.h */
};

/*
 * Finds the bundle: where the request says, at the default places of runtimes, or where runc noted
 * it. Returns 0; -ENOENT; or another -errno with a message. Release with bundle_finish() in every
 * case.
 */
int bundle_find(const char *host_root, const struct meta_request *request, struct bundle *bundle,
		struct error *err);
void bundle_finish(struct bundle *bundle);

/*
 * Finds a file that the runtime mounts into the container from its own folder for it, which is
 * named after the container: stores that folder's path. The mounts for names and addresses are such
 * files. Returns whether there is one.
 */
bool bundle_own_folder(const struct bundle *bundle, const char *id, char path[PATH_MAX]);

/*
 * Describes mounts, namespaces, rights and the environment from config.json. Namespaces that it
 * joins are compared with the host's; NULL: they stay unknown.
 */
void bundle_describe(const struct bundle *bundle, const struct bundle_namespaces *hosts,
		     struct state_container_info *info);

#endif
