/* SPDX-License-Identifier: MIT */
/* From a description to JSON. What is not known is left out. */
#include <string.h>

#include "sinsp/state/container_json.h"
#include "sinsp/state/container_json_members.h"
#include "util/json.h"

#define NS_PER_S UINT64_C(1000000000)

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

static void put_text(struct buf *out, const char *key, const char *text)
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

static void put_answer(struct buf *out, const char *key, enum sinsp_answer answer)
{
	if (answer == SINSP_UNKNOWN)
		return;
	put_key(out, key);
	buf_append_string(out, answer == SINSP_YES ? "true" : "false");
}

static void put_texts(struct buf *out, struct sinsp_container_info *info,
		      const struct container_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		put_text(out, members->items[i].key, *container_text(info, &members->items[i]));
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

static void put_items(struct buf *out, const struct sinsp_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		put_label(out, labels->items[i].name, labels->items[i].value);
}

static void put_labels(struct buf *out, const char *key, const struct sinsp_labels *labels)
{
	struct object object = begin_object(out, key);

	put_items(out, labels);
	end_object(out, object);
}

static bool has_label(const struct sinsp_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return true;
	return false;
}

/* The labels of the container, and those which name its pod. */
static void put_own_labels(struct buf *out, struct sinsp_container_info *info)
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

static void put_mounts(struct buf *out, const struct sinsp_mounts *mounts)
{
	put_key(out, "Mounts");
	buf_append_char(out, '[');
	for (size_t i = 0; i < mounts->count; i++) {
		const struct sinsp_mount *mount = &mounts->items[i];
		size_t start;

		if (i)
			buf_append_char(out, ',');
		start = out->len;
		put_text(out, "Source", mount->source);
		put_text(out, "Destination", mount->dest);
		put_text(out, "Mode", mount->mode);
		put_answer(out, "RW", mount->writable ? SINSP_YES : SINSP_NO);
		put_text(out, "Propagation", mount->propagation);
		json_end_object(out, start);
	}
	buf_append_char(out, ']');
}

/* Only descriptions that were to have it have one. */
static void put_env(struct buf *out, const struct sinsp_labels *env)
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

static void put_type(struct buf *out, const struct sinsp_container *container)
{
	const struct sinsp_container_info *info = &container->info;
	int number = container_type_number(info->type ? info->type : container->type);

	if (number >= 0)
		put_number(out, "type", (uint64_t)number);
}

static void put_state(struct buf *out, enum sinsp_meta_state state)
{
	static const uint8_t numbers[SINSP_META_STATES_COUNT] = {
		[SINSP_META_MISSING] = CONTAINER_LOOKUP_FAILED,
		[SINSP_META_PENDING] = CONTAINER_LOOKUP_STARTED,
		[SINSP_META_OK] = CONTAINER_LOOKUP_DONE,
		[SINSP_META_UNVERIFIED] = CONTAINER_LOOKUP_FAILED,
		[SINSP_META_ROOTLESS] = CONTAINER_LOOKUP_DONE,
	};

	put_number(out, "lookup_state", numbers[state]);
}

static void put_extension(struct buf *out, enum sinsp_meta_state state,
			  struct sinsp_container_info *info)
{
	struct object object = begin_object(out, CONTAINER_EXTENSION);

	if (state == SINSP_META_UNVERIFIED || state == SINSP_META_ROOTLESS)
		put_text(out, CONTAINER_STATE, sinsp_meta_state_name(state));
	put_texts(out, info, &container_extension_texts);
	if (info->pod.workload.derived)
		put_answer(out, CONTAINER_DERIVED, SINSP_YES);
	put_labels(out, "annotations", &info->pod.annotations);
	end_object(out, object);
}

static void put_id(struct buf *out, const struct sinsp_container *container)
{
	put_key(out, "id");
	json_append_string(out, container->id, sinsp_container_short_len(container));
	put_text(out, "full_id", container->id);
}

void sinsp_container_json_append(const struct sinsp_container *container, struct buf *out)
{
	/* The accessors of members are those for reading: nothing is changed. */
	struct sinsp_container_info *info = (struct sinsp_container_info *)&container->info;
	size_t start;

	BUF_LITERAL(out, "{\"container\":");
	start = out->len;
	put_id(out, container);
	put_type(out, container);
	put_state(out, sinsp_container_state(container));
	/* Other readers know no name of containers whose id is their name. */
	if (!info->name && container->is_named)
		put_text(out, "name", container->id);
	put_texts(out, info, &container_texts);
	for (size_t i = 0; i < container_answers.count; i++)
		put_answer(out, container_answers.items[i].key,
			   *container_answer(info, &container_answers.items[i]));
	put_answer(out, "is_pod_sandbox", info->is_sandbox ? SINSP_YES : SINSP_NO);
	if (info->created_ns)
		put_number(out, "created_time", info->created_ns / NS_PER_S);
	put_own_labels(out, info);
	put_labels(out, "pod_sandbox_labels", &info->pod.labels);
	put_mounts(out, &info->mounts);
	put_env(out, &info->env);
	put_extension(out, sinsp_container_state(container), info);
	json_end_object(out, start);
	buf_append_char(out, '}');
}
