/* SPDX-License-Identifier: MIT */
/*
 * Docker's REST API: one request for a container, and one for its image when that is new; its
 * stream of events.
 */
#include "meta/runtimes/docker_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/files.h"
#include "util/json_input.h"
#include "meta/source.h"
#include "util/count.h"

const char *docker_api_json_id(const json_t *answer)
{
	const char *id = JSON_INPUT_TEXT(answer, "Id");

	return id ? id : "";
}

static void docker_api_fill_mounts(const json_t *answer, struct state_container_info *info)
{
	const json_t *array = JSON_INPUT_AT(answer, "Mounts"), *item;
	struct describe_mounts mounts = describe_mounts_begin(info, json_array_size(array));
	size_t i;

	json_array_foreach((json_t *)array, i, item)
	{
		struct state_mount mount = {
			.source = JSON_INPUT_TEXT(item, "Source"),
			.dest = JSON_INPUT_TEXT(item, "Destination"),
			.mode = JSON_INPUT_TEXT(item, "Mode"),
			.propagation = JSON_INPUT_TEXT(item, "Propagation"),
			.writable = json_is_true(JSON_INPUT_AT(item, "RW")),
		};

		describe_mount(&mounts, &mount);
	}
	describe_mounts_end(&mounts);
}

void docker_api_json_fill(const json_t *answer, struct state_container_info *info)
{
	const char *name = JSON_INPUT_TEXT(answer, "Name");

	describe_text(&info->texts, &info->name, name && *name == '/' ? name + 1 : name);
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(answer, "Image"));
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(answer, "Created"));
	describe_labels(&info->texts, &info->labels, JSON_INPUT_AT(answer, "Config", "Labels"));
	docker_api_fill_mounts(answer, info);
	describe_env(info, JSON_INPUT_AT(answer, "Config", "Env"));
	files_docker_host_config(JSON_INPUT_AT(answer, "HostConfig"), info);
	/* From API 1.52 on the address stands only with the networks. */
	files_docker_networks(JSON_INPUT_AT(answer, "NetworkSettings", "Networks"), info);
	describe_text(&info->texts, &info->ip,
		      JSON_INPUT_TEXT(answer, "NetworkSettings", "IPAddress"));
	describe_pod_by_labels(info, &info->labels);
}

/* One request for a container, and one for its image when that is new. */

enum {
	OWN_MINOR_VERSION = 51, /* the newest of API 1 whose answers are understood */
	FREE_LEVELS = 2, /* the daemon's own: a container and its parts, or a list of containers */
	IMAGES_COUNT = 64,
	IMAGE_ID_MAX = 80,
	NAME_MAX_BYTES = 256,
	PATH_MAX_BYTES = 400,
	STATUS_OK = 200,
	STATUS_NOT_FOUND = 404,
};

struct docker_image {
	char id[IMAGE_ID_MAX];
	char name[NAME_MAX_BYTES]; /* a tag of it; "" if it has none */
	char digest[NAME_MAX_BYTES]; /* "repository@sha256:..."; "" if it has none */
};

struct docker_images {
	struct docker_image rows[IMAGES_COUNT];
	unsigned int next; /* the row that is replaced next */
};

bool docker_api_is_plain(const char *id)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "_.-:";

	return *id && *id != '.' && id[strspn(id, plain)] == '\0';
}

/* An answer that comes: what images' authors chose the size of is left out if it is too long. */
struct gathering {
	struct json_thin *thin; /* owned */
	int code;
};

static bool docker_api_gather(void *data, const char *bytes, size_t len)
{
	struct gathering *gathering = data;

	gathering->code = json_thin_add(gathering->thin, bytes, len);
	return gathering->code == 0;
}

int docker_api_get(struct docker_api *docker, const char *path, size_t values_max,
		   uint64_t deadline_ns, json_t **answer, struct error *err)
{
	struct gathering gathering = {.thin = json_thin_create(FREE_LEVELS, HTTP_BODY_MAX)};
	struct http_request request = {.path = path,
				       .take = docker_api_gather,
				       .data = &gathering,
				       .deadline_ns = deadline_ns};
	struct http_reply reply = {0};
	int result = -ENOMEM;

	if (gathering.thin)
		result = http_request(docker->http, &request, &reply, err);
	if (gathering.code)
		result = error_set(err, gathering.code, "%s: GET %s: %s", docker->path, path,
				   strerror(-gathering.code));
	else if (result)
		/* no answer */;
	else if (reply.status == STATUS_NOT_FOUND)
		result = -ENOENT;
	else if (reply.status != STATUS_OK)
		result = error_set(err, -EPROTO, "%s: GET %s: status %ld", docker->path, path,
				   reply.status);
	else
		result = json_input_parse(gathering.thin->out.data ? gathering.thin->out.data : "",
					  gathering.thin->out.len, values_max, docker->path, answer,
					  err);
	json_thin_destroy(gathering.thin);
	http_reply_finish(&reply);
	return result;
}

/* The same for an object. */
static int runtimes_docker_api_get(struct docker_api *docker, const char *path,
				   uint64_t deadline_ns, json_t **object, struct error *err)
{
	int result = docker_api_get(docker, path, JSON_INPUT_VALUES_MAX, deadline_ns, object, err);

	if (result == 0 && !json_is_object(*object)) {
		json_decref(*object);
		result = error_set(err, -EBADMSG, "%s: GET %s: the answer is no JSON object",
				   docker->path, path);
	}
	return result;
}

int docker_api_init(struct docker_api *docker, struct http *http, const char *path,
		    uint64_t deadline_ns, struct error *err)
{
	struct http_request request = {.path = "/_ping", .deadline_ns = deadline_ns};
	struct http_reply reply = {0};
	char version[16] = "", libpod[32];
	unsigned int minor;
	int result;

	*docker = (struct docker_api){.http = http, .path = path};
	result = http_request(http, &request, &reply, err);
	if (result)
		goto out;
	if (reply.status != STATUS_OK ||
	    !http_header(&reply, "Api-Version", version, sizeof(version))) {
		result = error_set(err, -EPROTO, "%s: not the API of Docker", path);
		goto out;
	}
	docker->is_podman = http_header(&reply, "Libpod-API-Version", libpod, sizeof(libpod));
	/* An older daemon rejects our version; a newer one may not answer as we understand. */
	if (sscanf(version, "1.%u", &minor) == 1)
		snprintf(docker->version, sizeof(docker->version), "/v1.%u",
			 minor < OWN_MINOR_VERSION ? minor : OWN_MINOR_VERSION);
	docker->images = calloc(1, sizeof(*docker->images));
	if (!docker->images)
		result = error_set(err, -ENOMEM, "out of memory");
out:
	http_reply_finish(&reply);
	return result;
}

void docker_api_finish(struct docker_api *docker)
{
	free(docker->images);
	docker->images = NULL;
}

/* The first text of an array that fits; "" if there is none. */
static void copy_first(const json_t *array, char *copy, size_t size)
{
	const char *text = json_string_value(json_array_get(array, 0));

	copy[0] = '\0';
	if (text && strlen(text) < size)
		memcpy(copy, text, strlen(text) + 1);
}

/* The names of an image, asked for once. Returns NULL if they are not known. */
static const struct docker_image *find_image(struct docker_api *docker, const char *id,
					     uint64_t deadline_ns)
{
	struct docker_images *images = docker->images;
	struct docker_image *image;
	char path[PATH_MAX_BYTES];
	json_t *answer;
	int result;

	if (!id || strlen(id) >= IMAGE_ID_MAX || !docker_api_is_plain(id))
		return NULL;
	for (size_t i = 0; i < IMAGES_COUNT; i++) {
		if (strcmp(images->rows[i].id, id) == 0)
			return &images->rows[i];
	}
	snprintf(path, sizeof(path), "%s/images/%s/json", docker->version, id);
	result = runtimes_docker_api_get(docker, path, deadline_ns, &answer, NULL);
	/* An image that was removed will not come back: that is an answer too. */
	if (result && result != -ENOENT)
		return NULL;
	image = &images->rows[images->next];
	images->next = (images->next + 1) % IMAGES_COUNT;
	*image = (struct docker_image){0};
	memcpy(image->id, id, strlen(id) + 1);
	if (result == 0) {
		copy_first(JSON_INPUT_AT(answer, "RepoTags"), image->name, sizeof(image->name));
		copy_first(JSON_INPUT_AT(answer, "RepoDigests"), image->digest,
			   sizeof(image->digest));
		json_decref(answer);
	}
	return image;
}

/* The name by which the container was made, unless that is an id and there is a better one. */
static void fill_image_names(struct state_container_info *info, const char *name,
			     const struct docker_image *image)
{
	const char *digest = image ? strchr(image->digest, '@') : NULL;

	describe_image_by_name(&info->texts, &info->image, name);
	if (image)
		describe_image_by_name(&info->texts, &info->image,
				       *image->name ? image->name : image->digest);
	describe_image(&info->texts, &info->image, name);
	describe_text(&info->texts, &info->image.digest, digest ? digest + 1 : NULL);
}

int docker_api_describe(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			struct state_container_info *info, struct error *err)
{
	const struct docker_image *image;
	char path[PATH_MAX_BYTES];
	json_t *answer;
	int result;

	if (!docker_api_is_plain(id) || strlen(id) > NAME_MAX_BYTES)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/containers/%s/json", docker->version, id);
	result = runtimes_docker_api_get(docker, path, deadline_ns, &answer, err);
	if (result)
		return result;
	/* The daemon takes names and beginnings of ids, too. */
	if (strcmp(docker_api_json_id(answer), id) != 0) {
		json_decref(answer);
		return -ENOENT;
	}
	docker_api_json_fill(answer, info);
	image = find_image(docker, JSON_INPUT_TEXT(answer, "Image"), deadline_ns);
	fill_image_names(info, JSON_INPUT_TEXT(answer, "Config", "Image"), image);
	json_decref(answer);
	return 0;
}

enum { LIST_VALUES_MAX = 1000000 };

/* Actions and what they change. Docker destroys containers, Podman removes them. */
static const struct {
	const char *action;
	enum runtime_change change;
} actions[] = {
	{"create", RUNTIME_CHANGED},  {"start", RUNTIME_CHANGED},  {"rename", RUNTIME_CHANGED},
	{"destroy", RUNTIME_REMOVED}, {"remove", RUNTIME_REMOVED},
};

enum { ACTIONS_COUNT = COUNT(actions) };

/*
 * A list has less than an answer about one container: not how far it is isolated, and the image's
 * id in place of its name when the name is that of another one now.
 */
static void docker_api_fill(struct state_container_info *info, const json_t *item)
{
	const char *name = json_string_value(json_array_get(JSON_INPUT_AT(item, "Names"), 0));
	const char *image = JSON_INPUT_TEXT(item, "Image");

	describe_text(&info->texts, &info->name, name && *name == '/' ? name + 1 : name);
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(item, "ImageID"));
	if (image && (!info->image.id || strncmp(info->image.id, image, strlen(image)) != 0))
		describe_image_by_name(&info->texts, &info->image, image);
	describe_labels(&info->texts, &info->labels, JSON_INPUT_AT(item, "Labels"));
	files_docker_networks(JSON_INPUT_AT(item, "NetworkSettings", "Networks"), info);
	describe_pod_by_labels(info, &info->labels);
}

/* Asks for a list, whose query ends in `filters`. Returns 0 or -errno. */
static int get_list(struct docker_api *docker, const char *filters, uint64_t deadline_ns,
		    json_t **answer, struct error *err)
{
	char path[RUNTIME_PATH_BYTES];
	int r;

	snprintf(path, sizeof(path), "%s/containers/json?all=1%s", docker->version, filters);
	r = docker_api_get(docker, path, LIST_VALUES_MAX, deadline_ns, answer, err);
	if (r == -ENOENT)
		return error_set(err, -EPROTO, "%s: GET %s: status 404", docker->path, path);
	return r;
}

int docker_events_list(struct docker_api *docker, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err)
{
	json_t *answer, *item;
	size_t i;
	int r = get_list(docker, "", deadline_ns, &answer, err);

	if (r)
		return r;
	json_array_foreach(answer, i, item)
	{
		const char *id = docker_api_json_id(item);
		struct state_container_info *info = *id ? state_container_info_create() : NULL;

		if (!info)
			continue;
		docker_api_fill(info, item);
		list->add(list->data, id, info, META_SOURCE_PART);
	}
	json_decref(answer);
	return 0;
}

int docker_events_look_up(struct docker_api *docker, const char *id, uint64_t deadline_ns,
			  struct state_container_info *info, struct error *err)
{
	char filters[RUNTIME_ID_BYTES + 64];
	json_t *answer, *item;
	int r, result = -ENOENT;
	size_t i;

	if (!docker_api_is_plain(id) || strlen(id) >= RUNTIME_ID_BYTES)
		return -ENOENT;
	/* {"id":["ID"]} */
	snprintf(filters, sizeof(filters), "&filters=%%7B%%22id%%22:%%5B%%22%s%%22%%5D%%7D", id);
	r = get_list(docker, filters, deadline_ns, &answer, err);
	if (r)
		return r;
	json_array_foreach(answer, i, item)
	{
		if (strcmp(docker_api_json_id(item), id) == 0 && result == -ENOENT) {
			docker_api_fill(info, item);
			result = META_SOURCE_PART;
		}
	}
	json_decref(answer);
	return result;
}

static bool docker_api_decode(const char *message, size_t len, struct runtime_event *event)
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
	events->decode = docker_api_decode;
	return path.failed ? -ENAMETOOLONG : 0;
}
