/* SPDX-License-Identifier: MIT */
/* Reads config.v2.json and hostconfig.json of a container below Docker's folder. */
#include "meta/runtimes/docker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/document.h"
#include "util/count.h"

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

/* Finds the container's folder, and loads its config.v2.json. As docker_describe(). */
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

void docker_describe_networks(const json_t *networks, struct state_container_info *info)
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
	docker_describe_networks(JSON_INPUT_AT(config, "NetworkSettings", "Networks"), info);
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

void docker_describe_host_config(const json_t *config, struct state_container_info *info)
{
	const json_t *privileged = json_object_get(config, "Privileged");

	if (json_is_boolean(privileged))
		describe_answer(&info->privileged, json_is_true(privileged));
	describe_mode(config, "PidMode", &info->host_pid);
	describe_mode(config, "NetworkMode", &info->host_network);
	describe_mode(config, "IpcMode", &info->host_ipc);
}

int docker_describe(const char *host_root, const struct meta_request *request,
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
	docker_describe_host_config(config.value, info);
	json_decref(config.value);
	return 0;
}
