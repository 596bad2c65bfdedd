/* SPDX-License-Identifier: MIT */
/*
 * What a socket of a runtime says of a container, as JSON, for tests in Python:
 *   ask_runtime SOCKET TYPE ID
 * TYPE is as container.type prints it. Exit codes: 0; 2 if it does not know it; 1 for a failure.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "meta/runtimes/sockets.h"

static enum state_container_type find_type(const char *name)
{
	for (int type = 0; type < STATE_CONTAINER_TYPES_COUNT; type++) {
		if (strcmp(state_container_type_name(type), name) == 0)
			return type;
	}
	return STATE_CONTAINER_NONE;
}

static void add_text(json_t *object, const char *name, const char *text)
{
	if (text)
		json_object_set_new(object, name, json_string(text));
}

static json_t *from_labels(const struct state_labels *labels)
{
	json_t *object = json_object();

	for (size_t i = 0; i < labels->count; i++)
		add_text(object, labels->items[i].name, labels->items[i].value);
	return object;
}

static json_t *from_mounts(const struct state_mounts *mounts)
{
	json_t *object = json_object();

	for (size_t i = 0; i < mounts->count; i++) {
		const struct state_mount *mount = &mounts->items[i];

		json_object_set_new(object, mount->dest,
				    json_pack("{s:s, s:s, s:b}", "source", mount->source,
					      "propagation", mount->propagation, "writable",
					      mount->writable));
	}
	return object;
}

static json_t *from_pod(const struct state_pod *pod)
{
	json_t *object = json_object();

	add_text(object, "name", pod->name);
	add_text(object, "ns", pod->ns);
	add_text(object, "uid", pod->uid);
	add_text(object, "sandbox_id", pod->sandbox_id);
	json_object_set_new(object, "labels", from_labels(&pod->labels));
	json_object_set_new(object, "annotations", from_labels(&pod->annotations));
	return object;
}

static void print(const struct state_container_info *info)
{
	json_t *object = json_object();

	add_text(object, "name", info->name);
	add_text(object, "image", info->image.name);
	add_text(object, "image_id", info->image.id);
	add_text(object, "image_repository", info->image.repository);
	add_text(object, "image_tag", info->image.tag);
	add_text(object, "image_digest", info->image.digest);
	add_text(object, "ip", info->ip);
	add_text(object, "type", state_container_type_name(info->type));
	/* Of enum state_answer: 0 unknown, 1 no, 2 yes. */
	json_object_set_new(object, "privileged", json_integer(info->privileged));
	json_object_set_new(object, "host_pid", json_integer(info->host_pid));
	json_object_set_new(object, "host_network", json_integer(info->host_network));
	json_object_set_new(object, "host_ipc", json_integer(info->host_ipc));
	json_object_set_new(object, "is_sandbox", json_boolean(info->is_sandbox));
	json_object_set_new(object, "created_ns", json_integer((json_int_t)info->created_ns));
	json_object_set_new(object, "labels", from_labels(&info->labels));
	json_object_set_new(object, "mounts", from_mounts(&info->mounts));
	json_object_set_new(object, "pod", from_pod(&info->pod));
	json_dumpf(object, stdout, JSON_COMPACT);
	json_decref(object);
}

int main(int argc, char **argv)
{
	const char *path = argc == 4 ? argv[1] : "";
	struct sockets_config config = {.paths = &path, .paths_count = 1, .without_defaults = true};
	struct state_container_info *info = state_container_info_create();
	struct meta_request request;
	struct meta_source *source;
	struct error err = {0};
	int result;

	if (argc != 4 || !info || sockets_source_create(&config, &source, &err)) {
		fprintf(stderr, "ask_runtime SOCKET TYPE ID: %s\n", err.text);
		return 1;
	}
	request = (struct meta_request){.id = argv[3], .type = find_type(argv[2])};
	result = source->ops->describe(source, &request, info, &err);
	if (result == 0)
		print(info);
	else if (result != -ENOENT)
		fprintf(stderr, "%s\n", err.text);
	source->ops->destroy(source);
	state_container_info_destroy(info);
	return result == 0 ? 0 : result == -ENOENT ? 2 : 1;
}
