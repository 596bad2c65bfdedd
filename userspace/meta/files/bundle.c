/* SPDX-License-Identifier: MIT */
/* Where bundles are. bundle_spec.c describes what is in them. */
#include "meta/files/bundle.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "meta/files/document.h"

/* Patterns of default places; %s: the id. */
static const char *const places[] = {
	"/run/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/k3s/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/docker/containerd/daemon/io.containerd.runtime.v2.task/moby/%s",
	"/run/containers/storage/*-containers/%s/userdata",
	"/var/lib/containers/storage/*-containers/%s/userdata",
	"/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/snap.docker/containerd/daemon/io.containerd.runtime.v2.task/moby/%s",
};

/* Files in which runc and crun note the bundle; %s: the id. */
static const char *const notes[] = {
	"/run/runc/%s/state.json",
	"/run/crun/%s/status",
	"/run/docker/runtime-runc/moby/%s/state.json",
	"/run/containerd/runc/*/%s/state.json",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether the control group of a specification is that of the container; without one it may be. */
static bool is_of(const json_t *spec, const char *id)
{
	const char *path = JSON_INPUT_TEXT(spec, "linux", "cgroupsPath");

	return !path || strstr(path, id);
}

/* What is looked for, and where. */
struct search {
	const char *host_root, *id;
	uint32_t owner;
};

/* Opens the bundle in a folder. Returns 0, -ENOENT, or another -errno with a message. */
static int try_folder(const struct search *search, const char *folder, struct bundle *bundle,
		      struct error *err)
{
	struct document document;
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/config.json", folder), code;

	if (*folder != '/' || len >= PATH_MAX)
		return -ENOENT;
	code = document_load(search->host_root, path, search->owner, &document_of_one, &document,
			     err);
	if (code)
		return code;
	bundle->spec = document.value;
	bundle->left_out = document.left_out;
	if (!is_of(bundle->spec, search->id)) {
		bundle_finish(bundle);
		return -ENOENT;
	}
	snprintf(bundle->path, sizeof(bundle->path), "%s", folder);
	return 0;
}

/* The bundle that runc's state names in a label "bundle=FOLDER", or crun's as a member. */
static int try_note(const struct search *search, const char *file, struct bundle *bundle,
		    struct error *err)
{
	static const char prefix[] = "bundle=";
	const char *folder;
	const json_t *labels;
	struct document note;
	json_t *label;
	size_t i;
	int code =
		document_load(search->host_root, file, search->owner, &document_of_one, &note, err);

	if (code)
		return code;
	folder = JSON_INPUT_TEXT(note.value, "bundle");
	labels = JSON_INPUT_AT(note.value, "config", "labels");
	json_array_foreach(labels, i, label)
	{
		const char *text = json_string_value(label);

		if (text && strncmp(text, prefix, sizeof(prefix) - 1) == 0)
			folder = text + sizeof(prefix) - 1;
	}
	code = folder ? try_folder(search, folder, bundle, err) : -ENOENT;
	json_decref(note.value);
	return code;
}

typedef int try_path(const struct search *search, const char *path, struct bundle *bundle,
		     struct error *err);

/* Tries what matches a pattern. Returns 0, -ENOENT, or another -errno with a message. */
static int try_pattern(const struct search *search, const char *pattern, try_path *try,
		       struct bundle *bundle, struct error *err)
{
	size_t root_len = strlen(search->host_root);
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s", search->host_root), more, code = -ENOENT;
	glob_t found;

	more = snprintf(path + len, sizeof(path) - (size_t)len, pattern, search->id);
	if (len + more >= PATH_MAX)
		return -ENOENT;
	if (glob(path, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && code == -ENOENT; i++)
			code = try(search, found.gl_pathv[i] + root_len, bundle, err);
	}
	globfree(&found);
	return code;
}

/* Whether an id can be part of a pattern and of a path. */
static bool is_plain(const char *id)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "._-";

	return *id && *id != '.' && id[strspn(id, plain)] == '\0';
}

/* Tries a table of patterns. A failure is not final: another place may be the right one. */
static int try_table(const struct search *search, const char *const *table, size_t count,
		     try_path *try, struct bundle *bundle, struct error *err)
{
	int failure = -ENOENT;

	for (size_t i = 0; i < count; i++) {
		int code = try_pattern(search, table[i], try, bundle, err);

		if (code == 0)
			return 0;
		if (code != -ENOENT)
			failure = code;
	}
	return failure;
}

int bundle_find(const char *host_root, const struct meta_request *request, struct bundle *bundle,
		struct error *err)
{
	const struct search search = {host_root, request->id, request->owner};
	int failure = -ENOENT, code = -ENOENT;

	*bundle = (struct bundle){0};
	if (request->bundle)
		failure = code = try_folder(&search, request->bundle, bundle, err);
	/* The default places are those of root. */
	if (code == 0 || !is_plain(request->id) || request->owner != SINSP_OWNER_ROOT)
		return code;
	code = try_table(&search, places, COUNT(places), try_folder, bundle, err);
	if (code == 0)
		return 0;
	failure = failure == -ENOENT ? code : failure;
	code = try_table(&search, notes, COUNT(notes), try_note, bundle, err);
	return code == 0 || failure == -ENOENT ? code : failure;
}

void bundle_finish(struct bundle *bundle)
{
	json_decref(bundle->spec);
	*bundle = (struct bundle){0};
}

/* Whether a path has a component that is the id; cuts the path after it. */
static bool cut_after_id(char *path, const char *id)
{
	size_t len = strlen(id);

	for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		if (strncmp(at + 1, id, len) != 0 || at[1 + len] != '/')
			continue;
		at[1 + len] = '\0';
		return true;
	}
	return false;
}

bool bundle_own_folder(const struct bundle *bundle, const char *id, char path[PATH_MAX])
{
	static const char *const names[] = {"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"};
	json_t *mount;
	size_t i;

	json_array_foreach(json_object_get(bundle->spec, "mounts"), i, mount)
	{
		const char *dest = JSON_INPUT_TEXT(mount, "destination");
		const char *source = JSON_INPUT_TEXT(mount, "source");

		for (size_t n = 0; dest && source && *source == '/' && n < COUNT(names); n++) {
			if (strcmp(dest, names[n]) != 0)
				continue;
			if (snprintf(path, PATH_MAX, "%s", source) < PATH_MAX &&
			    cut_after_id(path, id))
				return true;
		}
	}
	return false;
}
