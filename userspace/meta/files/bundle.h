/* SPDX-License-Identifier: MIT */
/*
 * The OCI bundle of a container: the folder from which a runtime starts it. Its config.json exists
 * before the first process, and as long as the container runs.
 */
#ifndef META_FILES_BUNDLE_H
#define META_FILES_BUNDLE_H

#include <jansson.h>
#include <limits.h>

#include "meta/files/namespaces.h"
#include "meta/source.h"

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
void bundle_describe(const struct bundle *bundle, const struct host_namespaces *hosts,
		     struct sinsp_container_info *info);

#endif
