/* SPDX-License-Identifier: MIT */
/*
 * From JSON to a description. What is not known may be missing, null, an empty text, or the address
 * 0.0.0.0.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "sinsp/state/container_json.h"
#include "sinsp/state/container_json_members.h"

#define NS_PER_S UINT64_C(1000000000)

/* A description that is being read. */
struct reading {
	struct sinsp_container_info *info;
	uint32_t ignored;
	bool with_env;
	bool out_of_memory;
};

static bool is_absent(const json_t *value)
{
	return !value || json_is_null(value);
}

static const char *copy_text(struct reading *reading, const char *text, size_t len)
{
	const char *copy = arena_text(&reading->info->texts.arena, text, len);

	reading->out_of_memory |= !copy;
	return copy;
}

/* A copy of a text, or NULL. */
static const char *read_text(struct reading *reading, const json_t *value)
{
	if (is_absent(value))
		return NULL;
	if (!json_is_string(value)) {
		reading->ignored++;
		return NULL;
	}
	return copy_text(reading, json_string_value(value), json_string_length(value));
}

static void read_texts(struct reading *reading, const json_t *object,
		       const struct container_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		const char *text =
			read_text(reading, json_object_get(object, members->items[i].key));

		if (text && *text)
			*container_text(reading->info, &members->items[i]) = text;
	}
}

static enum sinsp_answer read_answer(struct reading *reading, const json_t *value)
{
	if (is_absent(value))
		return SINSP_UNKNOWN;
	if (!json_is_boolean(value)) {
		reading->ignored++;
		return SINSP_UNKNOWN;
	}
	return json_is_true(value) ? SINSP_YES : SINSP_NO;
}

/* A number, or `otherwise`. */
static json_int_t read_number(struct reading *reading, const json_t *value, json_int_t otherwise)
{
	if (is_absent(value))
		return otherwise;
	if (!json_is_integer(value)) {
		reading->ignored++;
		return otherwise;
	}
	return json_integer_value(value);
}

/* How many of the items of a list are taken. */
static size_t limit_items(struct reading *reading, size_t count)
{
	if (count <= CONTAINER_JSON_ITEMS_MAX)
		return count;
	reading->ignored += (uint32_t)(count - CONTAINER_JSON_ITEMS_MAX);
	return CONTAINER_JSON_ITEMS_MAX;
}

static void *alloc_items(struct reading *reading, size_t count, size_t bytes)
{
	void *items = arena_alloc(&reading->info->texts.arena, count * bytes);

	reading->out_of_memory |= !items;
	return items;
}

static void read_labels(struct reading *reading, json_t *object, struct sinsp_labels *labels)
{
	struct sinsp_label *items;
	const char *key;
	size_t max, n = 0;
	json_t *value;

	if (is_absent(object))
		return;
	if (!json_is_object(object)) {
		reading->ignored++;
		return;
	}
	max = limit_items(reading, json_object_size(object));
	items = alloc_items(reading, max, sizeof(*items));
	if (!items)
		return;
	json_object_foreach(object, key, value)
	{
		if (n == max)
			break;
		items[n].value = read_text(reading, value);
		if (!items[n].value)
			continue;
		items[n].name = copy_text(reading, key, strlen(key));
		n++;
	}
	*labels = (struct sinsp_labels){items, n};
}

/* Memory for the items of an array, and their number; NULL: there are none. */
static void *begin_items(struct reading *reading, const json_t *array, size_t bytes, size_t *count)
{
	*count = 0;
	if (is_absent(array))
		return NULL;
	if (!json_is_array(array)) {
		reading->ignored++;
		return NULL;
	}
	*count = limit_items(reading, json_array_size(array));
	return alloc_items(reading, *count, bytes);
}

static const char *read_mount_text(struct reading *reading, const json_t *mount, const char *key)
{
	const char *text = read_text(reading, json_object_get(mount, key));

	return text ? text : "";
}

static void read_mounts(struct reading *reading, const json_t *array)
{
	size_t max, n = 0;
	struct sinsp_mount *items = begin_items(reading, array, sizeof(*items), &max);

	if (!items)
		return;
	for (size_t i = 0; i < max; i++) {
		const json_t *mount = json_array_get(array, i);

		if (!json_is_object(mount)) {
			reading->ignored++;
			continue;
		}
		items[n++] = (struct sinsp_mount){
			.source = read_mount_text(reading, mount, "Source"),
			.dest = read_mount_text(reading, mount, "Destination"),
			.mode = read_mount_text(reading, mount, "Mode"),
			.propagation = read_mount_text(reading, mount, "Propagation"),
			.writable = read_answer(reading, json_object_get(mount, "RW")) == SINSP_YES,
		};
	}
	reading->info->mounts = (struct sinsp_mounts){items, n};
}

/* "NAME=value" each. */
static void read_env(struct reading *reading, const json_t *array)
{
	size_t max, n = 0;
	struct sinsp_label *items = begin_items(reading, array, sizeof(*items), &max);

	if (!items)
		return;
	for (size_t i = 0; i < max; i++) {
		const char *text = read_text(reading, json_array_get(array, i));
		size_t name_len = text ? strcspn(text, "=") : 0;

		if (!text)
			continue;
		items[n].name = copy_text(reading, text, name_len);
		items[n++].value = text[name_len] ? text + name_len + 1 : "";
	}
	reading->info->env = (struct sinsp_labels){items, n};
}

static enum sinsp_meta_state read_state(struct reading *reading, const json_t *value)
{
	switch (read_number(reading, value, CONTAINER_LOOKUP_DONE)) {
	case CONTAINER_LOOKUP_STARTED:
		return SINSP_META_PENDING;
	case CONTAINER_LOOKUP_FAILED:
		return SINSP_META_MISSING;
	default:
		return SINSP_META_OK;
	}
}

static uint64_t read_time(struct reading *reading, const json_t *seconds)
{
	json_int_t number = read_number(reading, seconds, 0);

	return number > 0 && (uint64_t)number <= INT64_MAX / NS_PER_S ? (uint64_t)number * NS_PER_S
								      : 0;
}

/* Who says it, if that is not its runtime. */
static void read_origin(const json_t *value, enum sinsp_meta_state *state)
{
	static const enum sinsp_meta_state states[] = {SINSP_META_UNVERIFIED, SINSP_META_ROOTLESS};
	const char *name = json_string_value(value);

	for (size_t i = 0; name && i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(name, sinsp_meta_state_name(states[i])) == 0)
			*state = states[i];
}

static void read_extension(struct reading *reading, json_t *object, enum sinsp_meta_state *state)
{
	if (is_absent(object))
		return;
	read_origin(json_object_get(object, CONTAINER_STATE), state);
	read_texts(reading, object, &container_extension_texts);
	reading->info->pod.workload.derived =
		read_answer(reading, json_object_get(object, CONTAINER_DERIVED)) == SINSP_YES;
	read_labels(reading, json_object_get(object, "annotations"),
		    &reading->info->pod.annotations);
}

static void take_pod_label(struct sinsp_container_info *info, const struct sinsp_label *label)
{
	const struct container_members *members = &container_pod_labels;

	for (size_t i = 0; i < members->count; i++)
		if (*label->value && strcmp(label->name, members->items[i].key) == 0)
			*container_text(info, &members->items[i]) = label->value;
}

/* What follows from other members. `id`: of the container. */
static void complete(struct sinsp_container_info *info, const char *id)
{
	struct sinsp_pod *pod = &info->pod;

	for (size_t i = 0; i < info->labels.count; i++)
		take_pod_label(info, &info->labels.items[i]);
	if (info->ip && strcmp(info->ip, "0.0.0.0") == 0)
		info->ip = NULL;
	if (info->is_sandbox && !pod->sandbox_id)
		pod->sandbox_id = id;
	if (pod->sandbox_id && !pod->ip)
		pod->ip = info->ip;
}

static void read_all(struct reading *reading, const json_t *object, struct sinsp_container_json *to)
{
	struct sinsp_container_info *info = reading->info;

	to->id = read_text(reading, json_object_get(object, "full_id"));
	if (!to->id || !*to->id)
		to->id = read_text(reading, json_object_get(object, "id"));
	to->state = read_state(reading, json_object_get(object, "lookup_state"));
	read_texts(reading, object, &container_texts);
	for (size_t i = 0; i < container_answers.count; i++)
		*container_answer(info, &container_answers.items[i]) = read_answer(
			reading, json_object_get(object, container_answers.items[i].key));
	info->type = container_type_of(read_number(reading, json_object_get(object, "type"), -1));
	info->is_sandbox =
		read_answer(reading, json_object_get(object, "is_pod_sandbox")) == SINSP_YES;
	info->created_ns = read_time(reading, json_object_get(object, "created_time"));
	read_labels(reading, json_object_get(object, "labels"), &info->labels);
	read_labels(reading, json_object_get(object, "pod_sandbox_labels"), &info->pod.labels);
	read_mounts(reading, json_object_get(object, "Mounts"));
	if (reading->with_env)
		read_env(reading, json_object_get(object, "env"));
	read_extension(reading, json_object_get(object, CONTAINER_EXTENSION), &to->state);
	complete(info, to->id);
}

int sinsp_container_json_read(const char *text, size_t len, bool with_env,
			      struct sinsp_container_json *json)
{
	struct sinsp_container_json made = {0};
	struct reading reading = {.with_env = with_env};
	json_t *root, *object;
	int r = 0;

	if (len > CONTAINER_JSON_BYTES_MAX)
		return -E2BIG;
	root = json_loadb(text, len, 0, NULL);
	if (!root)
		return -EBADMSG;
	/* The oldest events have the members without an object around them. */
	object = json_object_get(root, "container");
	made.info = reading.info = sinsp_container_info_create();
	if (made.info)
		read_all(&reading, object ? object : root, &made);
	if (!made.info || reading.out_of_memory)
		r = -ENOMEM;
	else if (!made.id || !*made.id)
		r = -EBADMSG;
	json_decref(root);
	if (r) {
		sinsp_container_info_destroy(made.info);
		return r;
	}
	made.ignored = reading.ignored;
	*json = made;
	return 0;
}
