/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/sockets.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "meta/runtimes/runtime.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000 };

struct sockets_source {
	struct meta_source source;
	struct runtime *runtimes[SOCKETS_MAX]; /* owned */
	size_t count;
};

/*
 * Below /run, not /var/run: that is a link to an absolute path, which would lead out of the host's
 * root. The sockets of users are not asked: a user could answer for the containers of others.
 */
static const struct {
	const char *path;
	unsigned int apis;
} defaults[] = {
	{"/run/docker.sock", RUNTIME_DOCKER | RUNTIME_PODMAN},
	{"/run/podman/podman.sock", RUNTIME_PODMAN},
	{"/run/containerd/containerd.sock", RUNTIME_CRI},
	{"/run/k3s/containerd/containerd.sock", RUNTIME_CRI},
	{"/run/crio/crio.sock", RUNTIME_CRI},
	{"/run/cri-dockerd.sock", RUNTIME_CRI},
	{"/run/host-containerd/containerd.sock", RUNTIME_CRI},
};

/* Who may know a container of each type; none for the others. */
static const unsigned int apis_of[SINSP_CONTAINER_TYPES_COUNT] = {
	[SINSP_CONTAINER_DOCKER] = RUNTIME_DOCKER,
	[SINSP_CONTAINER_PODMAN] = RUNTIME_PODMAN,
	[SINSP_CONTAINER_CONTAINERD] = RUNTIME_CRI,
	[SINSP_CONTAINER_CRIO] = RUNTIME_CRI,
	[SINSP_CONTAINER_CRI] = RUNTIME_CRI | RUNTIME_DOCKER,
};

static int sockets_describe(struct meta_source *base, const struct meta_request *request,
			    struct sinsp_container_info *info, struct error *err)
{
	struct sockets_source *source = (struct sockets_source *)base;
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)SOCKETS_LOOKUP_MS * NS_PER_MS;
	unsigned int apis = apis_of[request->type];
	int result = -ENOENT;

	for (size_t i = 0; i < source->count; i++) {
		int code = runtime_describe(source->runtimes[i], apis, request->id, deadline_ns,
					    info, err);

		if (code == 0)
			return 0;
		/* One that failed might know it: that is the answer if no other does. */
		result = code != -ENOENT ? code : result;
	}
	return result;
}

static void sockets_destroy(struct meta_source *base)
{
	struct sockets_source *source = (struct sockets_source *)base;

	for (size_t i = 0; i < source->count; i++)
		runtime_close(source->runtimes[i]);
	free(source);
}

static int add(struct sockets_source *source, const char *root, const char *path, unsigned int apis,
	       struct error *err)
{
	char full[PATH_MAX];
	int code;

	if (source->count == SOCKETS_MAX)
		return error_set(err, -E2BIG, "%s: more than %d sockets of runtimes", path,
				 SOCKETS_MAX);
	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return error_set(err, -ENAMETOOLONG, "%s: the path is too long", path);
	code = runtime_open(full, apis, &source->runtimes[source->count], err);
	if (code == 0)
		source->count++;
	return code;
}

int sockets_source_create(const struct sockets_config *config, struct meta_source **result,
			  struct error *err)
{
	static const struct meta_source_ops ops = {sockets_describe, sockets_destroy};
	const char *root = config->host_root ? config->host_root : "";
	struct sockets_source *source = calloc(1, sizeof(*source));
	int code = 0;

	if (!source)
		return error_set(err, -ENOMEM, "out of memory");
	source->source.ops = &ops;
	for (size_t i = 0; code == 0 && i < config->paths_count; i++)
		code = add(source, root, config->paths[i], RUNTIME_ALL, err);
	for (size_t i = 0;
	     code == 0 && !config->without_defaults && i < sizeof(defaults) / sizeof(defaults[0]);
	     i++)
		code = add(source, root, defaults[i].path, defaults[i].apis, err);
	if (code) {
		sockets_destroy(&source->source);
		return code;
	}
	*result = &source->source;
	return 0;
}
