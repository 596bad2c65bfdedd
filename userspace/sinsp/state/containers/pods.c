/* SPDX-License-Identifier: MIT */
/* Pods: their descriptions, and the table of them. */
#include "sinsp/state/containers/pods.h"

#include <stdlib.h>
#include <string.h>

#include "util/count.h"
#include "util/hash.h"

struct state_pod_info *state_pod_info_create(void)
{
	return calloc(1, sizeof(struct state_pod_info));
}

void state_pod_info_destroy(struct state_pod_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

/* The texts of a pod: offsets in struct state_pod. */
static const size_t texts[] = {
	offsetof(struct state_pod, uid),
	offsetof(struct state_pod, name),
	offsetof(struct state_pod, ns),
	offsetof(struct state_pod, sandbox_id),
	offsetof(struct state_pod, ip),
	offsetof(struct state_pod, node),
	offsetof(struct state_pod, cluster),
	offsetof(struct state_pod, service_account),
	offsetof(struct state_pod, owner.kind),
	offsetof(struct state_pod, owner.name),
	offsetof(struct state_pod, workload.kind),
	offsetof(struct state_pod, workload.name),
};

enum { TEXTS_COUNT = COUNT(texts) };

static const char **text_at(const struct state_pod *pod, size_t i)
{
	return (const char **)((char *)pod + texts[i]);
}

size_t state_pod_info_bytes(const struct state_pod_info *info)
{
	size_t labels = info->pod.labels.count + info->pod.annotations.count;

	return sizeof(*info) + info->texts.bytes + labels * sizeof(struct state_label) +
	       info->containers.count * sizeof(struct state_pod_container);
}

static bool is_same(const char *text, const char *other)
{
	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool are_same_labels(const struct state_labels *labels, const struct state_labels *others)
{
	if (labels->count != others->count)
		return false;
	for (size_t i = 0; i < labels->count; i++)
		if (!is_same(labels->items[i].name, others->items[i].name) ||
		    !is_same(labels->items[i].value, others->items[i].value))
			return false;
	return true;
}

static bool is_same_container(const struct state_pod_container *container,
			      const struct state_pod_container *other)
{
	return is_same(container->id, other->id) && is_same(container->name, other->name) &&
	       is_same(container->image.name, other->image.name) &&
	       is_same(container->image.id, other->image.id) &&
	       is_same(container->image.digest, other->image.digest);
}

static bool are_same_containers(const struct state_pod_containers *containers,
				const struct state_pod_containers *others)
{
	if (containers->count != others->count)
		return false;
	for (size_t i = 0; i < containers->count; i++)
		if (!is_same_container(&containers->items[i], &others->items[i]))
			return false;
	return true;
}

bool state_pod_info_equal(const struct state_pod_info *info, const struct state_pod_info *other)
{
	for (size_t i = 0; i < TEXTS_COUNT; i++)
		if (!is_same(*text_at(&info->pod, i), *text_at(&other->pod, i)))
			return false;
	return info->pod.workload.derived == other->pod.workload.derived &&
	       is_same(info->api_uid, other->api_uid) &&
	       are_same_labels(&info->pod.labels, &other->pod.labels) &&
	       are_same_labels(&info->pod.annotations, &other->pod.annotations) &&
	       are_same_containers(&info->containers, &other->containers);
}

void state_pod_complete(struct state_pod *pod, const struct state_pod *by_api)
{
	for (size_t i = 0; i < TEXTS_COUNT; i++)
		if (*text_at(by_api, i))
			*text_at(pod, i) = *text_at(by_api, i);
	if (by_api->workload.kind)
		pod->workload.derived = by_api->workload.derived;
	pod->labels = by_api->labels;
	pod->annotations = by_api->annotations;
}

static struct state_pod_entry **pods_bucket_of(const struct state_pods *pods, const char *uid)
{
	uint32_t hash = hash_bytes(uid, strlen(uid));

	return (struct state_pod_entry **)&pods->buckets[hash % STATE_PODS_BUCKETS];
}

struct state_pod_entry *state_pods_find(const struct state_pods *pods, const char *uid)
{
	struct state_pod_entry *pod = *pods_bucket_of(pods, uid);

	while (pod && strcmp(pod->uid, uid) != 0)
		pod = pod->next;
	return pod;
}

struct state_pod_entry *state_pods_get(struct state_pods *pods, const char *uid)
{
	struct state_pod_entry **bucket = pods_bucket_of(pods, uid);
	struct state_pod_entry *pod = state_pods_find(pods, uid);
	size_t size = strlen(uid) + 1;

	if (pod)
		return pod;
	pod = calloc(1, sizeof(*pod) + size);
	if (!pod)
		return NULL;
	memcpy(pod->uid, uid, size);
	pod->next = *bucket;
	*bucket = pod;
	pods->count++;
	return pod;
}

static bool has_container(const struct state_pod_info *info, const char *id)
{
	for (size_t i = 0; i < info->containers.count; i++)
		if (strcmp(info->containers.items[i].id, id) == 0)
			return true;
	return false;
}

static bool has_api_uid(const struct state_pod_info *info, const char *uid)
{
	return info->api_uid && strcmp(info->api_uid, uid) == 0;
}

/* The first pod whose description is as wanted, or NULL. */
static struct state_pod_entry *find_described(const struct state_pods *pods,
					      bool (*is_wanted)(const struct state_pod_info *info,
								const char *text),
					      const char *text)
{
	for (size_t i = 0; pods->described && i < STATE_PODS_BUCKETS; i++)
		for (struct state_pod_entry *pod = pods->buckets[i]; pod; pod = pod->next)
			if (pod->info && is_wanted(pod->info, text))
				return pod;
	return NULL;
}

struct state_pod_entry *state_pods_find_with(const struct state_pods *pods, const char *id)
{
	return find_described(pods, has_container, id);
}

static void pods_set_info(struct state_pods *pods, struct state_pod_entry *pod,
			  const struct state_pod_info *info)
{
	if (pod->info) {
		pods->bytes -= state_pod_info_bytes(pod->info);
		pods->described--;
		state_pod_info_destroy((struct state_pod_info *)pod->info);
	}
	pod->info = info;
	if (info) {
		pods->bytes += state_pod_info_bytes(info);
		pods->described++;
	}
}

static void remove_kept(struct state_pods *pods, struct state_pod_entry *pod)
{
	if (!pod->is_kept)
		return;
	*(pod->older ? &pod->older->newer : &pods->oldest) = pod->newer;
	*(pod->newer ? &pod->newer->older : &pods->newest) = pod->older;
	pod->older = pod->newer = NULL;
	pod->is_kept = false;
	pods->kept--;
}

static void remove_pod(struct state_pods *pods, struct state_pod_entry *pod)
{
	struct state_pod_entry **link = pods_bucket_of(pods, pod->uid);

	while (*link != pod)
		link = &(*link)->next;
	*link = pod->next;
	remove_kept(pods, pod);
	pods_set_info(pods, pod, NULL);
	free(pod);
	pods->count--;
}

static void pods_keep(struct state_pods *pods, struct state_pod_entry *pod)
{
	if (pod->is_kept)
		return;
	pod->older = pods->newest;
	*(pods->newest ? &pods->newest->newer : &pods->oldest) = pod;
	pods->newest = pod;
	pod->is_kept = true;
	if (++pods->kept > STATE_PODS_KEPT_MAX)
		remove_pod(pods, pods->oldest);
}

void state_pods_containers_changed(struct state_pods *pods, struct state_pod_entry *pod)
{
	if (pod->containers)
		remove_kept(pods, pod);
	else if (!pod->info)
		remove_pod(pods, pod);
	else if (pod->removed)
		pods_keep(pods, pod);
}

void state_pods_finish(struct state_pods *pods)
{
	for (size_t i = 0; i < STATE_PODS_BUCKETS; i++)
		while (pods->buckets[i])
			remove_pod(pods, pods->buckets[i]);
}

/* Removes pods that are only kept for late events: the oldest, which is no loss. */
static bool pods_make_room(struct state_pods *pods, const struct state_pod_entry *pod, size_t bytes)
{
	size_t before = pod->info ? state_pod_info_bytes(pod->info) : 0;

	while (pods->bytes - before + bytes > STATE_PODS_BYTES_MAX && pods->oldest)
		remove_pod(pods, pods->oldest);
	return pods->bytes - before + bytes <= STATE_PODS_BYTES_MAX;
}

struct state_pod_entry *state_pods_describe(struct state_pods *pods, struct state_pod_info *info)
{
	struct state_pod_entry *pod = info->pod.uid ? state_pods_get(pods, info->pod.uid) : NULL;
	bool is_same;

	if (!pod) {
		pods->dropped++;
		state_pod_info_destroy(info);
		return NULL;
	}
	remove_kept(pods, pod);
	pod->removed = false;
	is_same = pod->info && state_pod_info_equal(pod->info, info);
	if (!is_same && pods_make_room(pods, pod, state_pod_info_bytes(info))) {
		pods_set_info(pods, pod, info);
		return pod;
	}
	pods->dropped += !is_same;
	state_pod_info_destroy(info);
	state_pods_containers_changed(pods, pod);
	return NULL;
}

void state_pods_forget(struct state_pods *pods, const char *uid)
{
	struct state_pod_entry *pod = state_pods_find(pods, uid);

	if (!pod)
		pod = find_described(pods, has_api_uid, uid);
	if (!pod)
		return;
	pod->removed = true;
	state_pods_containers_changed(pods, pod);
}
