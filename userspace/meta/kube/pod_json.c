/* SPDX-License-Identifier: MIT */
#include "meta/kube/pod_json.h"

#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "util/json_input.h"
#include "meta/kube/workload.h"

enum { WORKLOAD_NAME_BYTES = 254 }; /* of objects of Kubernetes, with a NUL */

/* A copy of the whole specification, with the values of environment variables. */
static const char last_applied[] = "kubectl.kubernetes.io/last-applied-configuration";

/*
 * Kubelet shows a static pod in the API as a mirror, with another uid than that of its control
 * groups, which is a hash.
 */
static const char *find_uid(const json_t *pod)
{
	const json_t *annotations = JSON_INPUT_AT(pod, "metadata", "annotations");

	if (JSON_INPUT_TEXT(annotations, "kubernetes.io/config.mirror"))
		return JSON_INPUT_TEXT(annotations, "kubernetes.io/config.hash");
	return JSON_INPUT_TEXT(pod, "metadata", "uid");
}

bool pod_json_uid(const json_t *pod, char uid[SINSP_POD_UID_BYTES])
{
	const char *found = find_uid(pod);
	size_t len = found ? strlen(found) : 0;

	if (len == 0 || len >= SINSP_POD_UID_BYTES)
		return false;
	memcpy(uid, found, len + 1);
	return true;
}

static void fill_workload(const json_t *object, struct sinsp_pod_info *info)
{
	struct workload workload = workload_of(object);
	char name[WORKLOAD_NAME_BYTES];

	describe_text(&info->texts, &info->pod.owner.kind, workload.owner_kind);
	describe_text(&info->texts, &info->pod.owner.name, workload.owner_name);
	if (!workload.kind || workload.name_len == 0 || workload.name_len >= sizeof(name))
		return;
	memcpy(name, workload.name, workload.name_len);
	name[workload.name_len] = '\0';
	describe_text(&info->texts, &info->pod.workload.kind, workload.kind);
	describe_text(&info->texts, &info->pod.workload.name, name);
	info->pod.workload.derived = workload.derived;
}

static void fill_annotations(const json_t *object, struct sinsp_pod_info *info)
{
	const json_t *annotations = JSON_INPUT_AT(object, "metadata", "annotations");
	struct describe_labels list = describe_labels_begin(&info->texts, &info->pod.annotations,
							    json_object_size(annotations));
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)annotations, name, value)
	{
		if (json_is_string(value) && strcmp(name, last_applied) != 0)
			describe_label_add(&list, name, json_string_value(value));
	}
	describe_labels_end(&list, &info->pod.annotations);
}

/* Each kind of container has a list in the specification and one in the status. */
static const struct {
	const char *spec, *status;
} container_lists[] = {
	{"containers", "containerStatuses"},
	{"initContainers", "initContainerStatuses"},
	{"ephemeralContainers", "ephemeralContainerStatuses"},
};

enum { CONTAINER_LISTS = sizeof(container_lists) / sizeof(container_lists[0]) };

/* The image that was asked for; the status may have another name of it. */
static const char *asked_image(const json_t *specs, const char *name)
{
	const json_t *spec;
	size_t i;

	json_array_foreach((json_t *)specs, i, spec)
	{
		const char *other = JSON_INPUT_TEXT(spec, "name");

		if (name && other && strcmp(name, other) == 0)
			return JSON_INPUT_TEXT(spec, "image");
	}
	return NULL;
}

static void fill_image(struct sinsp_texts *texts, struct sinsp_image *image, const json_t *status,
		       const char *asked)
{
	const char *id = JSON_INPUT_TEXT(status, "imageID");
	const char *digest = id ? strchr(id, '@') : NULL;

	describe_image_id(texts, image, id);
	describe_image_by_name(texts, image, asked);
	describe_image(texts, image, JSON_INPUT_TEXT(status, "image"));
	describe_text(texts, &image->digest, digest ? digest + 1 : NULL);
}

/* Of a list in the status; containers that were not started yet have no id. */
static void fill_containers(struct describe_pod_containers *list, const json_t *statuses,
			    const json_t *specs)
{
	const json_t *status;
	size_t i;

	json_array_foreach((json_t *)statuses, i, status)
	{
		const char *id = JSON_INPUT_TEXT(status, "containerID");
		const char *name = JSON_INPUT_TEXT(status, "name");
		const char *scheme_end = id ? strstr(id, "://") : NULL;
		struct sinsp_pod_container *container;

		if (!scheme_end || !scheme_end[3])
			continue;
		container = describe_pod_container(list, scheme_end + 3);
		if (!container)
			continue;
		describe_text(&list->info->texts, &container->name, name);
		fill_image(&list->info->texts, &container->image, status, asked_image(specs, name));
	}
}

static void fill_all_containers(const json_t *object, struct sinsp_pod_info *info)
{
	const json_t *spec = JSON_INPUT_AT(object, "spec");
	const json_t *status = JSON_INPUT_AT(object, "status");
	struct describe_pod_containers list;
	size_t room = 0;

	for (size_t i = 0; i < CONTAINER_LISTS; i++)
		room += json_array_size(JSON_INPUT_AT(status, container_lists[i].status));
	list = describe_pod_containers_begin(info, room);
	for (size_t i = 0; i < CONTAINER_LISTS; i++)
		fill_containers(&list, JSON_INPUT_AT(status, container_lists[i].status),
				JSON_INPUT_AT(spec, container_lists[i].spec));
	describe_pod_containers_end(&list);
}

struct sinsp_pod_info *pod_json_describe(const json_t *object, const char *uid)
{
	struct sinsp_pod_info *info = sinsp_pod_info_create();
	const char *api_uid = JSON_INPUT_TEXT(object, "metadata", "uid");
	struct sinsp_pod *pod;
	struct sinsp_texts *texts;

	if (!info)
		return NULL;
	pod = &info->pod;
	texts = &info->texts;
	describe_text(texts, &pod->uid, uid);
	describe_text(texts, &pod->name, JSON_INPUT_TEXT(object, "metadata", "name"));
	describe_text(texts, &pod->ns, JSON_INPUT_TEXT(object, "metadata", "namespace"));
	describe_text(texts, &pod->ip, JSON_INPUT_TEXT(object, "status", "podIP"));
	describe_text(texts, &pod->node, JSON_INPUT_TEXT(object, "spec", "nodeName"));
	describe_text(texts, &pod->service_account,
		      JSON_INPUT_TEXT(object, "spec", "serviceAccountName"));
	if (api_uid && strcmp(api_uid, uid) != 0)
		describe_text(texts, &info->api_uid, api_uid);
	fill_workload(object, info);
	fill_all_containers(object, info);
	/* The limits leave out the last: annotations are the least asked for, and the longest. */
	describe_labels(texts, &pod->labels, JSON_INPUT_AT(object, "metadata", "labels"));
	fill_annotations(object, info);
	if (pod->uid)
		return info;
	sinsp_pod_info_destroy(info);
	return NULL;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	/* A text that is missing differs from an empty one. */
	hash = (hash ^ (text ? 1 : 2)) * UINT64_C(1099511628211);
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t add_labels(uint64_t hash, const struct sinsp_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		hash = add_text(add_text(hash, labels->items[i].name), labels->items[i].value);
	return add_text(hash, NULL);
}

uint64_t pod_json_digest(const struct sinsp_pod_info *info)
{
	const struct sinsp_pod *pod = &info->pod;
	const char *texts[] = {pod->uid,
			       pod->name,
			       pod->ns,
			       pod->ip,
			       pod->node,
			       pod->service_account,
			       pod->workload.kind,
			       pod->workload.name,
			       pod->owner.kind,
			       pod->owner.name,
			       info->api_uid};
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		hash = add_text(hash, texts[i]);
	hash = add_labels(add_labels(hash, &pod->labels), &pod->annotations);
	for (size_t i = 0; i < info->containers.count; i++) {
		const struct sinsp_pod_container *container = &info->containers.items[i];

		hash = add_text(add_text(hash, container->id), container->name);
		hash = add_text(add_text(hash, container->image.name), container->image.id);
		hash = add_text(hash, container->image.digest);
	}
	return hash;
}
