/* SPDX-License-Identifier: MIT */
#include "sinsp/state/pod.h"

#include <stdlib.h>
#include <string.h>

struct sinsp_pod_info *sinsp_pod_info_create(void)
{
	return calloc(1, sizeof(struct sinsp_pod_info));
}

void sinsp_pod_info_destroy(struct sinsp_pod_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

/* The texts of a pod: offsets in struct sinsp_pod. */
static const size_t texts[] = {
	offsetof(struct sinsp_pod, uid),
	offsetof(struct sinsp_pod, name),
	offsetof(struct sinsp_pod, ns),
	offsetof(struct sinsp_pod, sandbox_id),
	offsetof(struct sinsp_pod, ip),
	offsetof(struct sinsp_pod, node),
	offsetof(struct sinsp_pod, cluster),
	offsetof(struct sinsp_pod, service_account),
	offsetof(struct sinsp_pod, owner.kind),
	offsetof(struct sinsp_pod, owner.name),
	offsetof(struct sinsp_pod, workload.kind),
	offsetof(struct sinsp_pod, workload.name),
};

enum { TEXTS_COUNT = sizeof(texts) / sizeof(texts[0]) };

static const char **text_at(const struct sinsp_pod *pod, size_t i)
{
	return (const char **)((char *)pod + texts[i]);
}

size_t sinsp_pod_info_bytes(const struct sinsp_pod_info *info)
{
	size_t labels = info->pod.labels.count + info->pod.annotations.count;

	return sizeof(*info) + info->texts.bytes + labels * sizeof(struct sinsp_label) +
	       info->containers.count * sizeof(struct sinsp_pod_container);
}

static bool is_same(const char *text, const char *other)
{
	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool are_same_labels(const struct sinsp_labels *labels, const struct sinsp_labels *others)
{
	if (labels->count != others->count)
		return false;
	for (size_t i = 0; i < labels->count; i++)
		if (!is_same(labels->items[i].name, others->items[i].name) ||
		    !is_same(labels->items[i].value, others->items[i].value))
			return false;
	return true;
}

static bool is_same_container(const struct sinsp_pod_container *container,
			      const struct sinsp_pod_container *other)
{
	return is_same(container->id, other->id) && is_same(container->name, other->name) &&
	       is_same(container->image.name, other->image.name) &&
	       is_same(container->image.id, other->image.id) &&
	       is_same(container->image.digest, other->image.digest);
}

static bool are_same_containers(const struct sinsp_pod_containers *containers,
				const struct sinsp_pod_containers *others)
{
	if (containers->count != others->count)
		return false;
	for (size_t i = 0; i < containers->count; i++)
		if (!is_same_container(&containers->items[i], &others->items[i]))
			return false;
	return true;
}

bool sinsp_pod_info_equal(const struct sinsp_pod_info *info, const struct sinsp_pod_info *other)
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

void sinsp_pod_complete(struct sinsp_pod *pod, const struct sinsp_pod *by_api)
{
	for (size_t i = 0; i < TEXTS_COUNT; i++)
		if (*text_at(by_api, i))
			*text_at(pod, i) = *text_at(by_api, i);
	if (by_api->workload.kind)
		pod->workload.derived = by_api->workload.derived;
	pod->labels = by_api->labels;
	pod->annotations = by_api->annotations;
}
