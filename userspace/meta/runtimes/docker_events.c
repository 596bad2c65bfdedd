/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/docker_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/files/docker.h"
#include "meta/runtimes/docker_api_json.h"
#include "meta/source.h"

enum { LIST_VALUES_MAX = 1000000 };

/* Actions and what they change. Docker destroys containers, Podman removes them. */
static const struct {
	const char *action;
	enum runtime_change change;
} actions[] = {
	{"create", RUNTIME_CHANGED},  {"start", RUNTIME_CHANGED},  {"rename", RUNTIME_CHANGED},
	{"destroy", RUNTIME_REMOVED}, {"remove", RUNTIME_REMOVED},
};

enum { ACTIONS_COUNT = sizeof(actions) / sizeof(actions[0]) };

/*
 * A list has less than an answer about one container: not how far it is isolated, and the image's
 * id in place of its name when the name is that of another one now.
 */
static void fill(struct sinsp_container_info *info, const json_t *item)
{
	const char *name = json_string_value(json_array_get(JSON_INPUT_AT(item, "Names"), 0));
	const char *image = JSON_INPUT_TEXT(item, "Image");

	describe_text(&info->texts, &info->name, name && *name == '/' ? name + 1 : name);
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(item, "ImageID"));
	if (image && (!info->image.id || strncmp(info->image.id, image, strlen(image)) != 0))
		describe_image_by_name(&info->texts, &info->image, image);
	describe_labels(&info->texts, &info->labels, JSON_INPUT_AT(item, "Labels"));
	docker_describe_networks(JSON_INPUT_AT(item, "NetworkSettings", "Networks"), info);
	describe_pod_by_labels(info, &info->labels);
}

/* Asks for a list, whose query ends in `filters`. Returns 0 or -errno. */
static int get_list(struct docker_api *docker, const char *filters, uint64_t deadline_ns,
		    json_t **answer, struct error *err)
{
	char path[RUNTIME_PATH_BYTES];
	int code;

	snprintf(path, sizeof(path), "%s/containers/json?all=1%s", docker->version, filters);
	code = docker_api_get(docker, path, LIST_VALUES_MAX, deadline_ns, answer, err);
	if (code == -ENOENT)
		return error_set(err, -EPROTO, "%s: GET %s: status 404", docker->path, path);
	return code;
}

int docker_events_list(struct docker_api *docker, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err)
{
	json_t *answer, *item;
	size_t i;
	int code = get_list(docker, "", deadline_ns, &answer, err);

	if (code)
		return code;
	json_array_foreach(answer, i, item)
	{
		const char *id = docker_api_json_id(item);
		struct sinsp_container_info *info = *id ? sinsp_container_info_create() : NULL;

		if (!info)
			continue;
		fill(info, item);
		list->add(list->data, id, info, META_SOURCE_PART);
	}
	json_decref(answer);
	return 0;
}

int docker_events_look_up(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			  struct sinsp_container_info *info, struct error *err)
{
	char filters[RUNTIME_ID_BYTES + 64];
	json_t *answer, *item;
	int code, result = -ENOENT;
	size_t i;

	if (!docker_api_is_plain(id) || strlen(id) >= RUNTIME_ID_BYTES)
		return -ENOENT;
	/* {"id":["ID"]} */
	snprintf(filters, sizeof(filters), "&filters=%%7B%%22id%%22:%%5B%%22%s%%22%%5D%%7D", id);
	code = get_list(docker, filters, deadline_ns, &answer, err);
	if (code)
		return code;
	json_array_foreach(answer, i, item)
	{
		if (strcmp(docker_api_json_id(item), id) == 0 && result == -ENOENT) {
			fill(info, item);
			result = META_SOURCE_PART;
		}
	}
	json_decref(answer);
	return result;
}

static bool decode(const char *message, size_t len, struct runtime_event *event)
{
	const char *action;
	json_t *object;

	event->change = RUNTIME_NO_CHANGE;
	if (json_input_parse(message, len, JSON_INPUT_VALUES_MAX, "", &object, NULL))
		return false;
	action = JSON_INPUT_TEXT(object, "Action");
	for (size_t i = 0; action && i < ACTIONS_COUNT; i++)
		if (strcmp(actions[i].action, action) == 0)
			runtime_event_set(event, actions[i].change,
					  JSON_INPUT_TEXT(object, "Actor", "ID"));
	json_decref(object);
	return true;
}

int docker_events_begin(const struct docker_api *docker, struct runtime_events *events)
{
	struct buf path = buf_fixed(events->path, sizeof(events->path));

	/* filters={"type":["container"],"event":["create",...]}, as a URL has it */
	buf_printf(
		&path,
		"%s/events?filters=%%7B%%22type%%22:%%5B%%22container%%22%%5D,%%22event%%22:%%5B",
		docker->version);
	for (size_t i = 0; i < ACTIONS_COUNT; i++)
		buf_printf(&path, "%s%%22%s%%22", i ? "," : "", actions[i].action);
	BUF_LITERAL(&path, "%5D%7D");
	buf_append_char(&path, '\0');
	events->decode = decode;
	return path.failed ? -ENAMETOOLONG : 0;
}
