/* SPDX-License-Identifier: MIT */
/* Looks for a container in containers.json and volatile-containers.json below each storage. */
#include "meta/runtimes/podman.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/document.h"
#include "util/count.h"

enum {
	KEPT_COUNT = 4,
	KEPT_BYTES_MAX = 1 << 20, /* of a file whose parsed form is kept: it takes ten times that */
};

/* A list of root's that was read; it is read again when the file changed: another inode. */
struct span_cache {
	char path[PATH_MAX];
	struct stat status;
	json_t *list; /* owned; NULL: none */
};

struct podman {
	const char *host_root; /* borrowed */
	struct span_cache kept[KEPT_COUNT];
	unsigned int next; /* the place to use next */
};

/* Podman keeps containers that are removed at their end (--rm) in the second one. */
static const char *const files[] = {"containers.json", "volatile-containers.json"};

static const char *const folders[] = {
	"/var/lib/containers/storage/overlay-containers",
	"/run/containers/storage/overlay-containers",
	"/var/lib/containers/storage/vfs-containers",
	"/run/containers/storage/vfs-containers",
};

struct podman *podman_create(const char *host_root)
{
	struct podman *podman = calloc(1, sizeof(*podman));

	if (podman)
		podman->host_root = host_root;
	return podman;
}

void podman_destroy(struct podman *podman)
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

static struct span_cache *find_kept(struct podman *podman, const char *path)
{
	for (size_t i = 0; i < KEPT_COUNT; i++)
		if (podman->kept[i].list && strcmp(podman->kept[i].path, path) == 0)
			return &podman->kept[i];
	return NULL;
}

static void podman_keep(struct podman *podman, const char *path, const struct stat *status,
			json_t *list)
{
	struct span_cache *kept = find_kept(podman, path);

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
static int podman_load(struct podman *podman, const char *path, uint32_t owner, json_t **list,
		       struct error *err)
{
	struct span_cache *kept = owner == STATE_OWNER_ROOT ? find_kept(podman, path) : NULL;
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
static void files_podman_describe(const json_t *entry, struct state_container_info *info)
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
static int podman_try_file(struct podman *podman, const char *path,
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
		files_podman_describe(entry, info);
		r = 0;
		break;
	}
	json_decref(list);
	return r;
}

/* Describes the container from a list in a folder. */
static int podman_try_folder(struct podman *podman, const char *folder,
			     const struct meta_request *request, struct state_container_info *info,
			     struct error *err)
{
	int failure = -ENOENT;

	for (size_t i = 0; i < COUNT(files); i++) {
		char path[PATH_MAX];
		int len = snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
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

int podman_describe(struct podman *podman, const struct meta_request *request,
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
	for (size_t i = 0; r && is_roots && i < COUNT(folders); i++) {
		int other = podman_try_folder(podman, folders[i], request, info, err);

		r = other == 0 || r == -ENOENT ? other : r;
	}
	if (r == 0 && !info->type)
		info->type = STATE_CONTAINER_PODMAN;
	return r;
}
