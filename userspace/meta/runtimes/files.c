/* SPDX-License-Identifier: MIT */
/*
 * The files of runtimes: of Podman, of Docker, the state that runc and crun keep of a container;
 * one after the other.
 */
#include "meta/runtimes/files.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/bundle.h"
#include "meta/runtimes/document.h"
#include "sinsp/state/containers/container.h"
#include "util/count.h"
#include "util/json_input.h"

/* Looks for a container in containers.json and volatile-containers.json below each storage. */

enum {
	KEPT_COUNT = 4,
	KEPT_BYTES_MAX = 1 << 20, /* of a file whose parsed form is kept: it takes ten times that */
};

/* A list of root's that was read; it is read again when the file changed: another inode. */
struct podman_list {
	char path[PATH_MAX];
	struct stat status;
	json_t *list; /* owned; NULL: none */
};

struct files_podman {
	const char *host_root; /* borrowed */
	struct podman_list kept[KEPT_COUNT];
	unsigned int next; /* the place to use next */
};

/* Podman keeps containers that are removed at their end (--rm) in the second one. */
static const char *const podman_files[] = {"containers.json", "volatile-containers.json"};

static const char *const podman_folders[] = {
	"/var/lib/containers/storage/overlay-containers",
	"/run/containers/storage/overlay-containers",
	"/var/lib/containers/storage/vfs-containers",
	"/run/containers/storage/vfs-containers",
};

struct files_podman *files_podman_create(const char *host_root)
{
	struct files_podman *podman = calloc(1, sizeof(*podman));

	if (podman)
		podman->host_root = host_root;
	return podman;
}

void files_podman_destroy(struct files_podman *podman)
{
	if (!podman)
		return;
	for (size_t i = 0; i < KEPT_COUNT; i++)
		json_decref(podman->kept[i].list);
	free(podman);
}

static bool podman_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct podman_list *find_kept(struct files_podman *podman, const char *path)
{
	for (size_t i = 0; i < KEPT_COUNT; i++)
		if (podman->kept[i].list && strcmp(podman->kept[i].path, path) == 0)
			return &podman->kept[i];
	return NULL;
}

static void podman_keep(struct files_podman *podman, const char *path, const struct stat *status,
			json_t *list)
{
	struct podman_list *kept = find_kept(podman, path);

	if (!kept)
		kept = &podman->kept[podman->next++ % KEPT_COUNT];
	json_decref(kept->list);
	kept->list = NULL;
	if (status->st_size > KEPT_BYTES_MAX)
		return;
	snprintf(kept->path, sizeof(kept->path), "%s", path);
	kept->status = *status;
	kept->list = json_incref(list);
}

/* Gets a list, with a reference for the caller. As document_load(). */
static int podman_load(struct files_podman *podman, const char *path, uint32_t owner, json_t **list,
		       struct error *err)
{
	struct podman_list *kept = owner == STATE_OWNER_ROOT ? find_kept(podman, path) : NULL;
	struct document document;
	struct stat status;
	int r;

	if (kept && document_status(podman->host_root, path, &status) == 0 &&
	    podman_is_same(&kept->status, &status)) {
		*list = json_incref(kept->list);
		return 0;
	}
	r = document_load(podman->host_root, path, owner,
			  owner == STATE_OWNER_ROOT ? &document_of_all : &document_of_user,
			  &document, err);
	if (r)
		return r;
	*list = document.value;
	if (owner == STATE_OWNER_ROOT)
		podman_keep(podman, path, &document.status, *list);
	return 0;
}

/* Its metadata is JSON in a text. */
static void files_podman_entry(const json_t *entry, struct state_container_info *info)
{
	json_t *metadata = json_input_object(JSON_INPUT_TEXT(entry, "metadata"));
	const json_t *names = json_object_get(entry, "names");

	describe_text(&info->texts, &info->name, json_string_value(json_array_get(names, 0)));
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(entry, "image"));
	describe_image(&info->texts, &info->image, JSON_INPUT_TEXT(metadata, "image-name"));
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(entry, "created"));
	json_decref(metadata);
}

/* Describes the container from the list in a file. */
static int podman_try_file(struct files_podman *podman, const char *path,
			   const struct meta_request *request, struct state_container_info *info,
			   struct error *err)
{
	json_t *list, *entry;
	size_t i;
	int r = podman_load(podman, path, request->owner, &list, err);

	if (r)
		return r;
	r = -ENOENT;
	json_array_foreach(list, i, entry)
	{
		const char *found = JSON_INPUT_TEXT(entry, "id");

		if (!found || strcmp(found, request->id) != 0)
			continue;
		files_podman_entry(entry, info);
		r = 0;
		break;
	}
	json_decref(list);
	return r;
}

/* Describes the container from a list in a folder. */
static int podman_try_folder(struct files_podman *podman, const char *folder,
			     const struct meta_request *request, struct state_container_info *info,
			     struct error *err)
{
	int failure = -ENOENT;

	for (size_t i = 0; i < COUNT(podman_files); i++) {
		char path[PATH_MAX];
		int len = snprintf(path, sizeof(path), "%s/%s", folder, podman_files[i]);
		int r = len < PATH_MAX ? podman_try_file(podman, path, request, info, err)
				       : -ENOENT;

		if (r == 0)
			return 0;
		if (r != -ENOENT)
			failure = r;
	}
	return failure;
}

/* Cuts a path before its component that is the id. Returns whether it has one. */
static bool cut_at_id(char *path, const char *id)
{
	size_t len = strlen(id);

	for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		if (strncmp(at + 1, id, len) != 0 || (at[1 + len] && at[1 + len] != '/'))
			continue;
		*at = '\0';
		return true;
	}
	return false;
}

int files_podman_describe(struct files_podman *podman, const struct meta_request *request,
			  const struct bundle *bundle, struct state_container_info *info,
			  struct error *err)
{
	bool is_roots = request->owner == STATE_OWNER_ROOT;
	const char *id = request->id;
	char path[PATH_MAX];
	int r = -ENOENT;

	/* STORAGE/overlay-containers/ID/userdata: beside the lists. */
	snprintf(path, sizeof(path), "%s", bundle->path);
	if (cut_at_id(path, id))
		r = podman_try_folder(podman, path, request, info, err);
	/* The same below the folder for the time until the next boot. */
	if (r && bundle_own_folder(bundle, id, path) && cut_at_id(path, id)) {
		int other = podman_try_folder(podman, path, request, info, err);

		r = other == 0 || r == -ENOENT ? other : r;
	}
	for (size_t i = 0; r && is_roots && i < COUNT(podman_folders); i++) {
		int other = podman_try_folder(podman, podman_folders[i], request, info, err);

		r = other == 0 || r == -ENOENT ? other : r;
	}
	if (r == 0 && !info->type)
		info->type = STATE_CONTAINER_PODMAN;
	return r;
}

/* Reads config.v2.json and hostconfig.json of a container below Docker's folder. */

static const char *const data_roots[] = {
	"/var/lib/docker",
	"/var/snap/docker/common/var-lib-docker",
};

/* Loads a file of a folder: Docker's files are root's. */
static int docker_load(const char *host_root, const char *folder, const char *file,
		       struct document *document, struct error *err)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/%s", folder, file);

	return len < PATH_MAX ? document_load(host_root, path, STATE_OWNER_ROOT, &document_of_one,
					      document, err)
			      : -ENOENT;
}

/* Loads config.v2.json of a folder if it is that of the container. */
static int load_config(const char *host_root, const char *folder, const char *id,
		       struct document *config, struct error *err)
{
	int r = docker_load(host_root, folder, "config.v2.json", config, err);
	const char *found;

	if (r)
		return r;
	found = JSON_INPUT_TEXT(config->value, "ID");
	if (found && strcmp(found, id) == 0)
		return 0;
	json_decref(config->value);
	return -ENOENT;
}

/* Finds the container's folder, and loads its config.v2.json. As files_docker_describe(). */
static int docker_find(const char *host_root, const char *id, const struct bundle *bundle,
		       char folder[PATH_MAX], struct document *config, struct error *err)
{
	int r = -ENOENT;

	if (bundle_own_folder(bundle, id, folder))
		r = load_config(host_root, folder, id, config, err);
	for (size_t i = 0; r && i < COUNT(data_roots); i++) {
		int len = snprintf(folder, PATH_MAX, "%s/containers/%s", data_roots[i], id);
		int other = len < PATH_MAX && !strchr(id, '/')
				    ? load_config(host_root, folder, id, config, err)
				    : -ENOENT;

		/* The first failure is the one to report. */
		if (other == 0 || r == -ENOENT)
			r = other;
	}
	return r;
}

static void describe_mount_points(const json_t *points, struct state_container_info *info)
{
	struct describe_mounts mounts = describe_mounts_begin(info, json_object_size(points));
	const char *dest;
	json_t *point;

	json_object_foreach((json_t *)points, dest, point) describe_mount(
		&mounts, &(struct state_mount){
				 .source = JSON_INPUT_TEXT(point, "Source"),
				 .dest = dest,
				 .mode = JSON_INPUT_TEXT(point, "Relabel"),
				 .propagation = JSON_INPUT_TEXT(point, "Propagation"),
				 .writable = json_is_true(json_object_get(point, "RW")),
			 });
	describe_mounts_end(&mounts);
}

void files_docker_networks(const json_t *networks, struct state_container_info *info)
{
	const char *name;
	json_t *network;

	json_object_foreach((json_t *)networks, name, network)
		describe_text(&info->texts, &info->ip, JSON_INPUT_TEXT(network, "IPAddress"));
}

static void describe_config(const json_t *config, struct state_container_info *info)
{
	const json_t *chosen = json_object_get(config, "Config");
	const char *name = JSON_INPUT_TEXT(config, "Name");

	info->type = STATE_CONTAINER_DOCKER;
	describe_text(&info->texts, &info->name, name && *name == '/' ? name + 1 : name);
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(config, "Image"));
	describe_image(&info->texts, &info->image, JSON_INPUT_TEXT(chosen, "Image"));
	describe_labels(&info->texts, &info->labels, json_object_get(chosen, "Labels"));
	describe_pod_by_labels(info, &info->labels);
	describe_mount_points(json_object_get(config, "MountPoints"), info);
	files_docker_networks(JSON_INPUT_AT(config, "NetworkSettings", "Networks"), info);
	describe_env(info, json_object_get(chosen, "Env"));
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(config, "Created"));
}

/* A mode: "host", "private", "container:ID", "" for the default, which is not the host's. */
static void describe_mode(const json_t *host_config, const char *key, enum state_answer *is_host)
{
	const char *mode = JSON_INPUT_TEXT(host_config, key);

	if (mode && strncmp(mode, "container:", sizeof("container:") - 1) != 0)
		describe_answer(is_host, strcmp(mode, "host") == 0);
}

void files_docker_host_config(const json_t *config, struct state_container_info *info)
{
	const json_t *privileged = json_object_get(config, "Privileged");

	if (json_is_boolean(privileged))
		describe_answer(&info->privileged, json_is_true(privileged));
	describe_mode(config, "PidMode", &info->host_pid);
	describe_mode(config, "NetworkMode", &info->host_network);
	describe_mode(config, "IpcMode", &info->host_ipc);
}

int files_docker_describe(const char *host_root, const struct meta_request *request,
			  const struct bundle *bundle, struct state_container_info *info,
			  struct error *err)
{
	char folder[PATH_MAX];
	struct document config;
	int r = docker_find(host_root, request->id, bundle, folder, &config, err);

	if (r)
		return r;
	describe_config(config.value, info);
	info->texts.left_out += config.left_out;
	json_decref(config.value);
	/* Without it less is known, but what is known is right. */
	if (docker_load(host_root, folder, "hostconfig.json", &config, err))
		return 0;
	files_docker_host_config(config.value, info);
	json_decref(config.value);
	return 0;
}

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

void files_named_each(const char *host_root,
		      void (*found)(void *data, const struct files_named *named), void *data)
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
			struct files_named named = {id, read_pid(root, path, place->pid),
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
	struct bundle_namespaces hosts; /* read while the caller has its capabilities */
	struct files_podman *podman;
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
		r = add_result(
			r, files_docker_describe(files->host_root, request, &bundle, info, err));
	if (may_be_podman(request, annotations))
		r = add_result(
			r, part(files_podman_describe(files->podman, request, &bundle, info, err)));
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

	files_podman_destroy(files->podman);
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
	bundle_namespaces_read(files->host_root, &files->hosts);
	files->podman = files_podman_create(files->host_root);
	if (files->podman)
		return &files->source;
	free(files);
	return NULL;
}
