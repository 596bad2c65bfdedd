/* SPDX-License-Identifier: MIT */
#include "meta/files/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/files/bundle.h"
#include "meta/files/docker.h"
#include "util/json_input.h"
#include "meta/files/podman.h"

struct files {
	struct meta_source source;
	const char *host_root; /* borrowed */
	struct host_namespaces hosts; /* read while the caller has its capabilities */
	struct podman *podman;
};

/* Whether Docker may know it: any form of group may be Docker's, but not those of others. */
static bool may_be_docker(const struct meta_request *request)
{
	return request->owner == SINSP_OWNER_ROOT &&
	       (request->type == SINSP_CONTAINER_DOCKER || request->type == SINSP_CONTAINER_CRI ||
		request->type == SINSP_CONTAINER_CONTAINERD);
}

static bool may_be_podman(const struct meta_request *request, const json_t *annotations)
{
	const char *manager = JSON_INPUT_TEXT(annotations, "io.container.manager");

	return manager ? strcmp(manager, "libpod") == 0 : request->type == SINSP_CONTAINER_PODMAN;
}

/* Adds a result to that of others: the one that knows most counts, then a failure. */
static int add_result(int so_far, int code)
{
	if (so_far >= 0 && code >= 0)
		return so_far < code ? so_far : code;
	if (so_far >= 0 || code >= 0)
		return so_far >= 0 ? so_far : code;
	return so_far == -ENOENT ? code : so_far;
}

/* A result of files that have a part of what the runtime knows. */
static int part(int code)
{
	return code == 0 ? META_SOURCE_PART : code;
}

static int describe(struct meta_source *source, const struct meta_request *request,
		    struct sinsp_container_info *info, struct error *err)
{
	struct files *files = (struct files *)source;
	const json_t *annotations;
	struct bundle bundle;
	int code = part(bundle_find(files->host_root, request, &bundle, err));

	annotations = json_object_get(bundle.spec, "annotations");
	if (may_be_docker(request))
		code = add_result(code,
				  docker_describe(files->host_root, request, &bundle, info, err));
	if (may_be_podman(request, annotations))
		code = add_result(
			code, part(podman_describe(files->podman, request, &bundle, info, err)));
	if (bundle.spec) {
		info->texts.left_out += bundle.left_out;
		annotations_describe(annotations, info);
		bundle_describe(&bundle, request->owner ? NULL : &files->hosts, info);
	}
	bundle_finish(&bundle);
	return code;
}

static void destroy(struct meta_source *source)
{
	struct files *files = (struct files *)source;

	podman_destroy(files->podman);
	free(files);
}

struct meta_source *meta_files_create(const char *host_root)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->source.ops = &ops;
	files->host_root = host_root ? host_root : "";
	/* Where they cannot be read those that are joined stay unknown. */
	host_namespaces_read(files->host_root, &files->hosts);
	files->podman = podman_create(files->host_root);
	if (files->podman)
		return &files->source;
	free(files);
	return NULL;
}
