/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers as JSON, by the same tables for both directions: read, written, and
 * with the environment hidden.
 */
#include "sinsp/state/containers/container_json.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "util/count.h"
#include "util/json.h"

#define MEMBER(key, member)                                                                        \
	{                                                                                          \
		key, offsetof(struct state_container_info, member)                                 \
	}
#define MEMBERS(items)                                                                             \
	{                                                                                          \
		items, COUNT(items)                                                                \
	}

/* clang-format off */
static const struct container_member texts[] = {
	MEMBER("name", name),
	MEMBER("image", image.name),
	MEMBER("imageid", image.id),
	MEMBER("imagerepo", image.repository),
	MEMBER("imagetag", image.tag),
	MEMBER("imagedigest", image.digest),
	MEMBER("ip", ip),
	MEMBER("cni_json", cni_json),
	MEMBER("pod_sandbox_id", pod.sandbox_id),
};

static const struct container_member answers[] = {
	MEMBER("privileged", privileged),
	MEMBER("host_pid", host_pid),
	MEMBER("host_network", host_network),
	MEMBER("host_ipc", host_ipc),
};

static const struct container_member extension_texts[] = {
	MEMBER("pod_ip", pod.ip),
	MEMBER("node", pod.node),
	MEMBER("cluster", pod.cluster),
	MEMBER("service_account", pod.service_account),
	MEMBER("owner_kind", pod.owner.kind),
	MEMBER("owner_name", pod.owner.name),
	MEMBER("workload_kind", pod.workload.kind),
	MEMBER("workload_name", pod.workload.name),
};

static const struct container_member pod_labels[] = {
	MEMBER("io.kubernetes.pod.name", pod.name),
	MEMBER("io.kubernetes.pod.namespace", pod.ns),
	MEMBER("io.kubernetes.pod.uid", pod.uid),
};

const struct container_members container_texts = MEMBERS(texts);
const struct container_members container_answers = MEMBERS(answers);
const struct container_members container_extension_texts = MEMBERS(extension_texts);
const struct container_members container_pod_labels = MEMBERS(pod_labels);

/* By number. */
static const enum state_container_type types[] = {
	[0] = STATE_CONTAINER_DOCKER,
	[1] = STATE_CONTAINER_LXC,
	[2] = STATE_CONTAINER_LIBVIRT_LXC,
	[3] = STATE_CONTAINER_MESOS,
	[4] = STATE_CONTAINER_RKT,
	[5] = STATE_CONTAINER_CUSTOM,
	[6] = STATE_CONTAINER_CRI,
	[7] = STATE_CONTAINER_CONTAINERD,
	[8] = STATE_CONTAINER_CRIO,
	[9] = STATE_CONTAINER_BPM,
	[10] = STATE_CONTAINER_STATIC,
	[11] = STATE_CONTAINER_PODMAN,
};
/* clang-format on */

enum { TYPES_COUNT = COUNT(types) };

int container_type_number(enum state_container_type type)
{
	for (int number = 0; number < TYPES_COUNT; number++)
		if (types[number] == type)
			return number;
	return -1;
}

enum state_container_type container_type_of(int64_t number)
{
	return number >= 0 && number < TYPES_COUNT ? types[number] : STATE_CONTAINER_NONE;
}

/*
 * Hides the environment in a description that others made, without changing its length. The text is
 * not parsed as a whole: also what no reader would take must not be copied.
 */

struct span {
	char *at, *end;
};

static void container_json_skip_blanks(struct span *text)
{
	while (text->at < text->end && strchr(" \t\r\n", *text->at) && *text->at)
		text->at++;
}

static bool container_json_take(struct span *text, char wanted)
{
	container_json_skip_blanks(text);
	if (text->at == text->end || *text->at != wanted)
		return false;
	text->at++;
	return true;
}

/* Skips a string, whose opening quote was taken, with its closing one. Returns what is between. */
static struct span take_string(struct span *text)
{
	struct span string = {text->at, text->end};

	for (; text->at < text->end && *text->at != '"'; text->at++)
		if (*text->at == '\\' && text->at + 1 < text->end)
			text->at++;
	string.end = text->at;
	if (text->at < text->end)
		text->at++;
	return string;
}

/* A key with an escape could be any. */
static bool may_be_env(struct span key)
{
	size_t len = (size_t)(key.end - key.at);

	return (len == 3 && memcmp(key.at, "env", 3) == 0) || memchr(key.at, '\\', len);
}

/* Skips the rest of an array whose opening bracket was taken, up to its closing one. */
static void skip_items(struct span *text)
{
	unsigned int depth = 1;

	while (text->at < text->end) {
		char c = *text->at;

		depth += c == '[';
		if (c == ']' && --depth == 0)
			return;
		text->at++;
		if (c == '"')
			take_string(text);
	}
}

void state_container_json_hide_env(char *text, size_t len)
{
	struct span rest = {text, text + len};

	while (rest.at < rest.end) {
		struct span key;
		char *items;

		if (*rest.at++ != '"')
			continue;
		key = take_string(&rest);
		/* Labels of that name are texts. */
		if (!container_json_take(&rest, ':') || !may_be_env(key) ||
		    !container_json_take(&rest, '['))
			continue;
		items = rest.at;
		skip_items(&rest);
		memset(items, ' ', (size_t)(rest.at - items));
	}
}

/*
 * From JSON to a description. What is not known may be missing, null, an empty text, or the address
 * 0.0.0.0.
 */

#define NS_PER_S UINT64_C(1000000000)

/* A description that is being read. */
struct reading {
	struct state_container_info *info;
	uint32_t ignored;
	bool with_env;
	bool out_of_memory;
};

static bool is_absent(const json_t *value)
{
	return !value || json_is_null(value);
}

static const char *container_json_copy_text(struct reading *reading, const char *text, size_t len)
{
	const char *copy = arena_text(&reading->info->texts.arena, text, len);

	reading->out_of_memory |= !copy;
	return copy;
}

/* A copy of a text, or NULL. */
static const char *container_json_read_text(struct reading *reading, const json_t *value)
{
	if (is_absent(value))
		return NULL;
	if (!json_is_string(value)) {
		reading->ignored++;
		return NULL;
	}
	return container_json_copy_text(reading, json_string_value(value),
					json_string_length(value));
}

static void read_texts(struct reading *reading, const json_t *object,
		       const struct container_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		const char *text = container_json_read_text(
			reading, json_object_get(object, members->items[i].key));

		if (text && *text)
			*container_text(reading->info, &members->items[i]) = text;
	}
}

static enum state_answer container_json_read_answer(struct reading *reading, const json_t *value)
{
	if (is_absent(value))
		return STATE_UNKNOWN;
	if (!json_is_boolean(value)) {
		reading->ignored++;
		return STATE_UNKNOWN;
	}
	return json_is_true(value) ? STATE_YES : STATE_NO;
}

/* A number, or `otherwise`. */
static json_int_t container_json_read_number(struct reading *reading, const json_t *value,
					     json_int_t otherwise)
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

static void read_labels(struct reading *reading, json_t *object, struct state_labels *labels)
{
	struct state_label *items;
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
		items[n].value = container_json_read_text(reading, value);
		if (!items[n].value)
			continue;
		items[n].name = container_json_copy_text(reading, key, strlen(key));
		n++;
	}
	*labels = (struct state_labels){items, n};
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
	const char *text = container_json_read_text(reading, json_object_get(mount, key));

	return text ? text : "";
}

static void read_mounts(struct reading *reading, const json_t *array)
{
	size_t max, n = 0;
	struct state_mount *items = begin_items(reading, array, sizeof(*items), &max);

	if (!items)
		return;
	for (size_t i = 0; i < max; i++) {
		const json_t *mount = json_array_get(array, i);

		if (!json_is_object(mount)) {
			reading->ignored++;
			continue;
		}
		items[n++] = (struct state_mount){
			.source = read_mount_text(reading, mount, "Source"),
			.dest = read_mount_text(reading, mount, "Destination"),
			.mode = read_mount_text(reading, mount, "Mode"),
			.propagation = read_mount_text(reading, mount, "Propagation"),
			.writable = container_json_read_answer(
					    reading, json_object_get(mount, "RW")) == STATE_YES,
		};
	}
	reading->info->mounts = (struct state_mounts){items, n};
}

/* "NAME=value" each. */
static void read_env(struct reading *reading, const json_t *array)
{
	size_t max, n = 0;
	struct state_label *items = begin_items(reading, array, sizeof(*items), &max);

	if (!items)
		return;
	for (size_t i = 0; i < max; i++) {
		const char *text = container_json_read_text(reading, json_array_get(array, i));
		size_t name_len = text ? strcspn(text, "=") : 0;

		if (!text)
			continue;
		items[n].name = container_json_copy_text(reading, text, name_len);
		items[n++].value = text[name_len] ? text + name_len + 1 : "";
	}
	reading->info->env = (struct state_labels){items, n};
}

static enum state_meta read_state(struct reading *reading, const json_t *value)
{
	switch (container_json_read_number(reading, value, CONTAINER_LOOKUP_DONE)) {
	case CONTAINER_LOOKUP_STARTED:
		return STATE_META_PENDING;
	case CONTAINER_LOOKUP_FAILED:
		return STATE_META_MISSING;
	default:
		return STATE_META_OK;
	}
}

static uint64_t container_json_read_time(struct reading *reading, const json_t *seconds)
{
	json_int_t number = container_json_read_number(reading, seconds, 0);

	return number > 0 && (uint64_t)number <= INT64_MAX / NS_PER_S ? (uint64_t)number * NS_PER_S
								      : 0;
}

/* Who says it, if that is not its runtime, or not all that this knows. */
static void read_origin(const json_t *value, enum state_meta *state)
{
	static const enum state_meta states[] = {STATE_META_UNVERIFIED, STATE_META_ROOTLESS,
						 STATE_META_PARTIAL};
	const char *name = json_string_value(value);

	for (size_t i = 0; name && i < COUNT(states); i++)
		if (strcmp(name, state_meta_name(states[i])) == 0)
			*state = states[i];
}

static void read_extension(struct reading *reading, json_t *object, enum state_meta *state)
{
	if (is_absent(object))
		return;
	read_origin(json_object_get(object, CONTAINER_STATE), state);
	read_texts(reading, object, &container_extension_texts);
	reading->info->pod.workload.derived =
		container_json_read_answer(reading, json_object_get(object, CONTAINER_DERIVED)) ==
		STATE_YES;
	read_labels(reading, json_object_get(object, "annotations"),
		    &reading->info->pod.annotations);
}

static void take_pod_label(struct state_container_info *info, const struct state_label *label)
{
	const struct container_members *members = &container_pod_labels;

	for (size_t i = 0; i < members->count; i++)
		if (*label->value && strcmp(label->name, members->items[i].key) == 0)
			*container_text(info, &members->items[i]) = label->value;
}

/* What follows from other members. `id`: of the container. */
static void container_json_complete(struct state_container_info *info, const char *id)
{
	struct state_pod *pod = &info->pod;

	for (size_t i = 0; i < info->labels.count; i++)
		take_pod_label(info, &info->labels.items[i]);
	if (info->ip && strcmp(info->ip, "0.0.0.0") == 0)
		info->ip = NULL;
	if (info->is_sandbox && !pod->sandbox_id)
		pod->sandbox_id = id;
	if (pod->sandbox_id && !pod->ip)
		pod->ip = info->ip;
}

static void container_json_read_all(struct reading *reading, const json_t *object,
				    struct state_container_json *to)
{
	struct state_container_info *info = reading->info;

	to->id = container_json_read_text(reading, json_object_get(object, "full_id"));
	if (!to->id || !*to->id)
		to->id = container_json_read_text(reading, json_object_get(object, "id"));
	to->state = read_state(reading, json_object_get(object, "lookup_state"));
	read_texts(reading, object, &container_texts);
	for (size_t i = 0; i < container_answers.count; i++)
		*container_answer(info, &container_answers.items[i]) = container_json_read_answer(
			reading, json_object_get(object, container_answers.items[i].key));
	info->type = container_type_of(
		container_json_read_number(reading, json_object_get(object, "type"), -1));
	info->is_sandbox = container_json_read_answer(
				   reading, json_object_get(object, "is_pod_sandbox")) == STATE_YES;
	info->created_ns =
		container_json_read_time(reading, json_object_get(object, "created_time"));
	read_labels(reading, json_object_get(object, "labels"), &info->labels);
	read_labels(reading, json_object_get(object, "pod_sandbox_labels"), &info->pod.labels);
	read_mounts(reading, json_object_get(object, "Mounts"));
	if (reading->with_env)
		read_env(reading, json_object_get(object, "env"));
	read_extension(reading, json_object_get(object, CONTAINER_EXTENSION), &to->state);
	container_json_complete(info, to->id);
}

int state_container_json_read(const char *text, size_t len, bool with_env,
			      struct state_container_json *json)
{
	struct state_container_json made = {0};
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
	made.info = reading.info = state_container_info_create();
	if (made.info)
		container_json_read_all(&reading, object ? object : root, &made);
	if (!made.info || reading.out_of_memory)
		r = -ENOMEM;
	else if (!made.id || !*made.id)
		r = -EBADMSG;
	json_decref(root);
	if (r) {
		state_container_info_destroy(made.info);
		return r;
	}
	made.ignored = reading.ignored;
	*json = made;
	return 0;
}

/* From a description to JSON. What is not known is left out. */

/* The keys are constants which need no escapes. */
static void put_key(struct buf *out, const char *key)
{
	BUF_LITERAL(out, ",\"");
	buf_append_string(out, key);
	BUF_LITERAL(out, "\":");
}

static void put_string(struct buf *out, const char *text)
{
	json_append_string(out, text, strlen(text));
}

static void container_json_put_text(struct buf *out, const char *key, const char *text)
{
	if (!text)
		return;
	put_key(out, key);
	put_string(out, text);
}

static void put_number(struct buf *out, const char *key, uint64_t number)
{
	put_key(out, key);
	buf_append_u64(out, number);
}

static void put_answer(struct buf *out, const char *key, enum state_answer answer)
{
	if (answer == STATE_UNKNOWN)
		return;
	put_key(out, key);
	buf_append_string(out, answer == STATE_YES ? "true" : "false");
}

static void put_texts(struct buf *out, struct state_container_info *info,
		      const struct container_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		container_json_put_text(out, members->items[i].key,
					*container_text(info, &members->items[i]));
}

static void put_label(struct buf *out, const char *name, const char *value)
{
	buf_append_char(out, ',');
	put_string(out, name);
	buf_append_char(out, ':');
	put_string(out, value);
}

/* An object that is being appended with its key. */
struct object {
	size_t before, start; /* offsets of the key and of the object */
};

static struct object begin_object(struct buf *out, const char *key)
{
	struct object object = {.before = out->len};

	put_key(out, key);
	object.start = out->len;
	return object;
}

/* Removes the object if it is empty. */
static void end_object(struct buf *out, struct object object)
{
	if (out->len == object.start)
		out->len = object.before;
	else
		json_end_object(out, object.start);
}

static void put_items(struct buf *out, const struct state_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		put_label(out, labels->items[i].name, labels->items[i].value);
}

static void put_labels(struct buf *out, const char *key, const struct state_labels *labels)
{
	struct object object = begin_object(out, key);

	put_items(out, labels);
	end_object(out, object);
}

static bool has_label(const struct state_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return true;
	return false;
}

/* The labels of the container, and those which name its pod. */
static void put_own_labels(struct buf *out, struct state_container_info *info)
{
	struct object object = begin_object(out, "labels");

	put_items(out, &info->labels);
	for (size_t i = 0; i < container_pod_labels.count; i++) {
		const struct container_member *label = &container_pod_labels.items[i];
		const char *text = *container_text(info, label);

		if (text && !has_label(&info->labels, label->key))
			put_label(out, label->key, text);
	}
	end_object(out, object);
}

static void put_mounts(struct buf *out, const struct state_mounts *mounts)
{
	put_key(out, "Mounts");
	buf_append_char(out, '[');
	for (size_t i = 0; i < mounts->count; i++) {
		const struct state_mount *mount = &mounts->items[i];
		size_t start;

		if (i)
			buf_append_char(out, ',');
		start = out->len;
		container_json_put_text(out, "Source", mount->source);
		container_json_put_text(out, "Destination", mount->dest);
		container_json_put_text(out, "Mode", mount->mode);
		put_answer(out, "RW", mount->writable ? STATE_YES : STATE_NO);
		container_json_put_text(out, "Propagation", mount->propagation);
		json_end_object(out, start);
	}
	buf_append_char(out, ']');
}

/* Only descriptions that were to have it have one. */
static void put_env(struct buf *out, const struct state_labels *env)
{
	struct buf text = {0};

	if (!env->count)
		return;
	put_key(out, "env");
	for (size_t i = 0; i < env->count; i++) {
		buf_clear(&text);
		buf_append_string(&text, env->items[i].name);
		buf_append_char(&text, '=');
		buf_append_string(&text, env->items[i].value);
		buf_append_char(out, i ? ',' : '[');
		json_append_string(out, text.data, text.len);
	}
	buf_append_char(out, ']');
	if (text.failed)
		buf_fail(out);
	buf_finish(&text);
}

static void put_type(struct buf *out, const struct state_container *container)
{
	const struct state_container_info *info = &container->info;
	int number = container_type_number(info->type ? info->type : container->type);

	if (number >= 0)
		put_number(out, "type", (uint64_t)number);
}

static void put_state(struct buf *out, enum state_meta state)
{
	static const uint8_t numbers[STATE_META_STATES_COUNT] = {
		[STATE_META_MISSING] = CONTAINER_LOOKUP_FAILED,
		[STATE_META_PENDING] = CONTAINER_LOOKUP_STARTED,
		[STATE_META_OK] = CONTAINER_LOOKUP_DONE,
		[STATE_META_UNVERIFIED] = CONTAINER_LOOKUP_FAILED,
		[STATE_META_ROOTLESS] = CONTAINER_LOOKUP_DONE,
		[STATE_META_PARTIAL] = CONTAINER_LOOKUP_DONE,
	};

	put_number(out, "lookup_state", numbers[state]);
}

static void put_extension(struct buf *out, enum state_meta state, struct state_container_info *info)
{
	struct object object = begin_object(out, CONTAINER_EXTENSION);

	if (state == STATE_META_UNVERIFIED || state == STATE_META_ROOTLESS ||
	    state == STATE_META_PARTIAL)
		container_json_put_text(out, CONTAINER_STATE, state_meta_name(state));
	put_texts(out, info, &container_extension_texts);
	if (info->pod.workload.derived)
		put_answer(out, CONTAINER_DERIVED, STATE_YES);
	put_labels(out, "annotations", &info->pod.annotations);
	end_object(out, object);
}

static void put_id(struct buf *out, const struct state_container *container)
{
	put_key(out, "id");
	json_append_string(out, container->id, state_container_short_len(container));
	container_json_put_text(out, "full_id", container->id);
}

void state_container_json_append(const struct state_container *container, struct buf *out)
{
	/* The accessors of members are those for reading: nothing is changed. */
	struct state_container_info *info = (struct state_container_info *)&container->info;
	size_t start;

	BUF_LITERAL(out, "{\"container\":");
	start = out->len;
	put_id(out, container);
	put_type(out, container);
	put_state(out, state_container_state(container));
	/* Other readers know no name of containers whose id is their name. */
	if (!info->name && container->is_named)
		container_json_put_text(out, "name", container->id);
	put_texts(out, info, &container_texts);
	for (size_t i = 0; i < container_answers.count; i++)
		put_answer(out, container_answers.items[i].key,
			   *container_answer(info, &container_answers.items[i]));
	put_answer(out, "is_pod_sandbox", info->is_sandbox ? STATE_YES : STATE_NO);
	if (info->created_ns)
		put_number(out, "created_time", info->created_ns / NS_PER_S);
	put_own_labels(out, info);
	put_labels(out, "pod_sandbox_labels", &info->pod.labels);
	put_mounts(out, &info->mounts);
	put_env(out, &info->env);
	put_extension(out, state_container_state(container), info);
	json_end_object(out, start);
	buf_append_char(out, '}');
}
