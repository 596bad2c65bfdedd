/* SPDX-License-Identifier: MIT */
/* The files of runtimes, one after the other; the state that runc and crun keep of a container. */
#include "meta/runtimes/files.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/runtimes/bundle.h"
#include "meta/runtimes/docker.h"
#include "meta/runtimes/document.h"
#include "meta/runtimes/podman.h"
#include "sinsp/state/container.h"
#include "util/count.h"
#include "util/json_input.h"

/* The state that runc and crun keep of a container, in a folder with its id as name. */

static const struct place {
	const char *pattern;
	const char *pid; /* member of the file */
} places[] = {
	{"/run/runc/*/state.json", "init_process_pid"},
	{"/run/crun/*/status", "pid"},
};

/* The folder of a file, as text in `id`. Returns whether it is one. */
static bool take_id(const char *path, char id[STATE_CONTAINER_ID_BYTES])
{
	const char *end = strrchr(path, '/'), *begin = end;
	size_t len;

	while (begin && begin > path && begin[-1] != '/')
		begin--;
	len = begin ? (size_t)(end - begin) : 0;
	if (!len || len >= STATE_CONTAINER_ID_BYTES)
		return false;
	memcpy(id, begin, len);
	id[len] = '\0';
	return true;
}

static int64_t read_pid(const char *host_root, const char *path, const char *member)
{
	struct document document;
	struct error err;
	int64_t pid = 0;

	if (document_load(host_root, path, STATE_OWNER_ROOT, &document_of_one, &document, &err))
		return 0;
	pid = json_integer_value(json_object_get(document.value, member));
	json_decref(document.value);
	return pid;
}

void named_each(const char *host_root, void (*found)(void *data, const struct named *named),
		void *data)
{
	const char *root = host_root ? host_root : "";
	char pattern[PATH_MAX], id[STATE_CONTAINER_ID_BYTES];

	for (size_t i = 0; i < COUNT(places); i++) {
		const struct place *place = &places[i];
		glob_t files;

		if (snprintf(pattern, sizeof(pattern), "%s%s", root, place->pattern) >= PATH_MAX ||
		    glob(pattern, GLOB_NOSORT, NULL, &files))
			continue;
		for (size_t n = 0; n < files.gl_pathc && n < NAMED_MAX; n++) {
			const char *path = files.gl_pathv[n] + strlen(root);
			struct named named = {id, read_pid(root, path, place->pid),
					      STATE_CONTAINER_CUSTOM};

			if (named.pid > 0 && take_id(path, id))
				found(data, &named);
		}
		globfree(&files);
	}
}

struct files {
	struct meta_source source;
	const char *host_root; /* borrowed */
	struct host_namespaces hosts; /* read while the caller has its capabilities */
	struct podman *podman;
};

/* Whether Docker may know it: any form of group may be Docker's, but not those of others. */
static bool may_be_docker(const struct meta_request *request)
{
	return request->owner == STATE_OWNER_ROOT &&
	       (request->type == STATE_CONTAINER_DOCKER || request->type == STATE_CONTAINER_CRI ||
		request->type == STATE_CONTAINER_CONTAINERD);
}

static bool may_be_podman(const struct meta_request *request, const json_t *annotations)
{
	const char *manager = JSON_INPUT_TEXT(annotations, "io.container.manager");

	return manager ? strcmp(manager, "libpod") == 0 : request->type == STATE_CONTAINER_PODMAN;
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

static int files_describe(struct meta_source *source, const struct meta_request *request,
			  struct state_container_info *info, struct error *err)
{
	struct files *files = (struct files *)source;
	const json_t *annotations;
	struct bundle bundle;
	int r = part(bundle_find(files->host_root, request, &bundle, err));

	annotations = json_object_get(bundle.spec, "annotations");
	if (may_be_docker(request))
		r = add_result(r, docker_describe(files->host_root, request, &bundle, info, err));
	if (may_be_podman(request, annotations))
		r = add_result(r,
			       part(podman_describe(files->podman, request, &bundle, info, err)));
	if (bundle.spec) {
		info->texts.left_out += bundle.left_out;
		bundle_describe_annotations(annotations, info);
		bundle_describe(&bundle, request->owner ? NULL : &files->hosts, info);
	}
	bundle_finish(&bundle);
	return r;
}

static void files_destroy(struct meta_source *source)
{
	struct files *files = (struct files *)source;

	podman_destroy(files->podman);
	free(files);
}

struct meta_source *meta_files_create(const char *host_root)
{
	static const struct meta_source_ops ops = {files_describe, files_destroy};
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
