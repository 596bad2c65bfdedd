/* SPDX-License-Identifier: MIT */
/* Descriptions of pods from the JSON of the API; workloads; what of them is new. */
#include "meta/pod_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "util/count.h"
#include "util/json_input.h"

/* A CronJob adds the time to the names of its Jobs: in minutes, or in seconds before 1.21. */
enum { CRON_DIGITS_MIN = 8, CRON_DIGITS_MAX = 10 };

static void derive(struct pod_workload *workload, const char *kind, const char *name,
		   size_t suffix_len)
{
	workload->kind = kind;
	workload->name = name;
	workload->name_len = strlen(name) - suffix_len;
	workload->derived = true;
}

/* "web-6d4cf56db6" of the Deployment "web" */
static void find_deployment(const json_t *pod, const char *owner, struct pod_workload *workload)
{
	const char *hash = JSON_INPUT_TEXT(pod, "metadata", "labels", "pod-template-hash");
	size_t hash_len = hash ? strlen(hash) : 0, len = strlen(owner);

	if (hash_len == 0 || len < hash_len + 2 || strcmp(owner + len - hash_len, hash) != 0 ||
	    owner[len - hash_len - 1] != '-')
		return;
	derive(workload, "Deployment", owner, hash_len + 1);
}

/* "backup-29123456" of the CronJob "backup" */
static void find_cron_job(const json_t *pod, const char *owner, struct pod_workload *workload)
{
	const char *dash = strrchr(owner, '-');
	size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;

	if (digits < CRON_DIGITS_MIN || digits > CRON_DIGITS_MAX || dash[1 + digits] ||
	    dash == owner)
		return;
	derive(workload, "CronJob", owner, digits + 1);
}

/* OpenShift names the configuration in a label. */
static void find_deployment_config(const json_t *pod, const char *owner,
				   struct pod_workload *workload)
{
	const char *name = JSON_INPUT_TEXT(pod, "metadata", "labels", "deploymentconfig");

	if (!name || !*name)
		return;
	derive(workload, "DeploymentConfig", name, 0);
}

/* Owners that are owned themselves. */
static const struct {
	const char *kind;
	void (*find)(const json_t *pod, const char *owner, struct pod_workload *workload);
} owners[] = {
	{"ReplicaSet", find_deployment},
	{"Job", find_cron_job},
	{"ReplicationController", find_deployment_config},
};

/* Whether kubelet itself has the pod, from a file or a URL. In the API its owner is the node. */
static bool is_static(const json_t *pod)
{
	const char *source =
		JSON_INPUT_TEXT(pod, "metadata", "annotations", "kubernetes.io/config.source");

	return source && strcmp(source, "api") != 0;
}

static struct pod_workload without_owner(const json_t *pod)
{
	const char *kind = is_static(pod) ? "Node" : "Pod";
	const char *name = is_static(pod) ? JSON_INPUT_TEXT(pod, "spec", "nodeName")
					  : JSON_INPUT_TEXT(pod, "metadata", "name");

	if (!name)
		return (struct pod_workload){0};
	return (struct pod_workload){.kind = kind, .name = name, .name_len = strlen(name)};
}

/* The owner that controls it, or NULL. */
static const json_t *controller_of(const json_t *pod)
{
	const json_t *list = JSON_INPUT_AT(pod, "metadata", "ownerReferences"), *owner;
	size_t i;

	json_array_foreach((json_t *)list, i, owner)
	{
		if (json_is_true(JSON_INPUT_AT(owner, "controller")))
			return owner;
	}
	return NULL;
}

struct pod_workload pod_workload_of(const json_t *pod)
{
	const json_t *owner = controller_of(pod);
	const char *kind = JSON_INPUT_TEXT(owner, "kind"), *name = JSON_INPUT_TEXT(owner, "name");
	struct pod_workload workload = {0};

	if (!owner)
		return without_owner(pod);
	if (!kind || !name)
		return workload;
	workload = (struct pod_workload){.kind = kind, .name = name, .name_len = strlen(name)};
	for (size_t i = 0; i < COUNT(owners); i++)
		if (strcmp(owners[i].kind, kind) == 0)
			owners[i].find(pod, name, &workload);
	workload.owner_kind = kind;
	workload.owner_name = name;
	return workload;
}

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

bool pod_json_uid(const json_t *pod, char uid[STATE_POD_UID_BYTES])
{
	const char *found = find_uid(pod);
	size_t len = found ? strlen(found) : 0;

	if (len == 0 || len >= STATE_POD_UID_BYTES)
		return false;
	memcpy(uid, found, len + 1);
	return true;
}

static void fill_workload(const json_t *object, struct state_pod_info *info)
{
	struct pod_workload workload = pod_workload_of(object);
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

static void fill_annotations(const json_t *object, struct state_pod_info *info)
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

enum { CONTAINER_LISTS = COUNT(container_lists) };

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

static void pod_json_fill_image(struct state_texts *texts, struct state_image *image,
				const json_t *status, const char *asked)
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
		struct state_pod_container *container;

		if (!scheme_end || !scheme_end[3])
			continue;
		container = describe_pod_container(list, scheme_end + 3);
		if (!container)
			continue;
		describe_text(&list->info->texts, &container->name, name);
		pod_json_fill_image(&list->info->texts, &container->image, status,
				    asked_image(specs, name));
	}
}

static void fill_all_containers(const json_t *object, struct state_pod_info *info)
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

struct state_pod_info *pod_json_describe(const json_t *object, const char *uid)
{
	struct state_pod_info *info = state_pod_info_create();
	const char *api_uid = JSON_INPUT_TEXT(object, "metadata", "uid");
	struct state_pod *pod;
	struct state_texts *texts;

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
	state_pod_info_destroy(info);
	return NULL;
}

static uint64_t pod_json_add_text(uint64_t hash, const char *text)
{
	/* A text that is missing differs from an empty one. */
	hash = (hash ^ (text ? 1 : 2)) * UINT64_C(1099511628211);
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t pod_json_add_labels(uint64_t hash, const struct state_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		hash = pod_json_add_text(pod_json_add_text(hash, labels->items[i].name),
					 labels->items[i].value);
	return pod_json_add_text(hash, NULL);
}

uint64_t pod_json_digest(const struct state_pod_info *info)
{
	const struct state_pod *pod = &info->pod;
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

	for (size_t i = 0; i < COUNT(texts); i++)
		hash = pod_json_add_text(hash, texts[i]);
	hash = pod_json_add_labels(pod_json_add_labels(hash, &pod->labels), &pod->annotations);
	for (size_t i = 0; i < info->containers.count; i++) {
		const struct state_pod_container *container = &info->containers.items[i];

		hash = pod_json_add_text(pod_json_add_text(hash, container->id), container->name);
		hash = pod_json_add_text(pod_json_add_text(hash, container->image.name),
					 container->image.id);
		hash = pod_json_add_text(hash, container->image.digest);
	}
	return hash;
}

enum { ROOM_FIRST = 64 };

/* A node has few: they are compared one by one. */
static struct pod_known *find(const struct pods_known *known, const char *uid)
{
	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->items[i].uid, uid) == 0)
			return &known->items[i];
	return NULL;
}

static bool pod_json_grow(struct pods_known *known)
{
	size_t room = known->room ? known->room * 2 : ROOM_FIRST;
	struct pod_known *items;

	if (known->count < known->room)
		return true;
	if (known->count >= (known->max ? known->max : KNOWN_PODS_MAX))
		return false;
	items = realloc(known->items, room * sizeof(*items));
	if (!items)
		return false;
	known->items = items;
	known->room = room;
	return true;
}

enum pods_known_result pods_known_put(struct pods_known *known, const char *uid, uint64_t digest)
{
	struct pod_known *pod = find(known, uid);
	size_t uid_len = strlen(uid);
	bool is_same = pod && pod->digest == digest;

	if (!pod) {
		if (uid_len >= sizeof(pod->uid) || !pod_json_grow(known))
			return KNOWN_REJECTED;
		pod = &known->items[known->count++];
		memcpy(pod->uid, uid, uid_len + 1);
	}
	pod->digest = digest;
	pod->list = known->list;
	return is_same ? KNOWN_SAME : KNOWN_CHANGED;
}

static void remove_item(struct pods_known *known, struct pod_known *pod)
{
	*pod = known->items[--known->count];
}

bool pods_known_remove(struct pods_known *known, const char *uid)
{
	struct pod_known *pod = find(known, uid);

	if (pod)
		remove_item(known, pod);
	return pod;
}

void pods_known_begin(struct pods_known *known)
{
	known->list++;
}

bool pods_known_take_missing(struct pods_known *known, char uid[STATE_POD_UID_BYTES])
{
	for (size_t i = 0; i < known->count; i++) {
		struct pod_known *pod = &known->items[i];

		if (pod->list == known->list)
			continue;
		memcpy(uid, pod->uid, sizeof(pod->uid));
		remove_item(known, pod);
		return true;
	}
	return false;
}

void pods_known_finish(struct pods_known *known)
{
	free(known->items);
	*known = (struct pods_known){0};
}
