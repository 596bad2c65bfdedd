/* SPDX-License-Identifier: MIT */
/* Containers: descriptions, lists, and what is known by the pod. */
#include "sinsp/state/container.h"

#include <stdlib.h>
#include <string.h>

#include "sinsp/state/pods.h"

struct sinsp_container_info *sinsp_container_info_create(void)
{
	return calloc(1, sizeof(struct sinsp_container_info));
}

void sinsp_container_info_destroy(struct sinsp_container_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

const char *sinsp_meta_state_name(enum sinsp_meta_state state)
{
	static const char *const names[SINSP_META_STATES_COUNT] = {
		[SINSP_META_MISSING] = "missing",
		[SINSP_META_PENDING] = "pending",
		[SINSP_META_OK] = "ok",
		[SINSP_META_UNVERIFIED] = "unverified",
		[SINSP_META_ROOTLESS] = "rootless",
		[SINSP_META_PARTIAL] = "partial",
	};

	return names[state];
}

enum sinsp_meta_state sinsp_container_state(const struct sinsp_container *container)
{
	static const enum sinsp_meta_state of_user[SINSP_META_STATES_COUNT] = {
		[SINSP_META_MISSING] = SINSP_META_UNVERIFIED,
		[SINSP_META_PENDING] = SINSP_META_PENDING,
		[SINSP_META_OK] = SINSP_META_ROOTLESS,
		[SINSP_META_UNVERIFIED] = SINSP_META_UNVERIFIED,
		[SINSP_META_ROOTLESS] = SINSP_META_ROOTLESS,
		[SINSP_META_PARTIAL] = SINSP_META_ROOTLESS,
	};
	bool is_known = container->state == SINSP_META_OK ||
			container->state == SINSP_META_PARTIAL ||
			container->state == SINSP_META_PENDING;

	if (container->owner != SINSP_OWNER_ROOT)
		return of_user[container->state];
	return container->is_listed && !is_known ? SINSP_META_OK : container->state;
}

bool sinsp_container_can_be_described(const struct sinsp_container *container)
{
	return container->owner == SINSP_OWNER_ROOT || (container->owner != SINSP_OWNER_ANYBODY &&
							container->type == SINSP_CONTAINER_PODMAN);
}

bool sinsp_container_is_described(const struct sinsp_container *container)
{
	return container->runtime_info || (container->pod && container->pod->info);
}

size_t sinsp_container_short_len(const struct sinsp_container *container)
{
	bool whole = container->is_named || container->id_len < SINSP_CONTAINER_SHORT_LEN;

	return whole ? container->id_len : SINSP_CONTAINER_SHORT_LEN;
}

void sinsp_container_list_add(struct sinsp_container_lists *lists,
			      struct sinsp_container *container, enum sinsp_container_listing which)
{
	struct sinsp_container_list *list = &lists->of[which];

	if (container->links[which].listed)
		return;
	container->links[which] =
		(struct sinsp_container_link){.older = list->newest, .listed = true};
	*(list->newest ? &list->newest->links[which].newer : &list->oldest) = container;
	list->newest = container;
	list->count++;
}

void sinsp_container_list_remove(struct sinsp_container_lists *lists,
				 struct sinsp_container *container,
				 enum sinsp_container_listing which)
{
	struct sinsp_container_list *list = &lists->of[which];
	struct sinsp_container_link *link = &container->links[which];

	if (!link->listed)
		return;
	*(link->older ? &link->older->links[which].newer : &list->oldest) = link->newer;
	*(link->newer ? &link->newer->links[which].older : &list->newest) = link->older;
	*link = (struct sinsp_container_link){0};
	list->count--;
}

static struct sinsp_pod_entry *container_find_pod(struct sinsp_pods *pods,
						  const struct sinsp_container *container)
{
	const char *uid = container->runtime_info ? container->runtime_info->pod.uid : NULL;
	struct sinsp_pod_entry *pod, *listed;

	/* A user can make a group of any name. */
	if (container->owner != SINSP_OWNER_ROOT)
		return NULL;
	if (*container->pod_uid)
		uid = container->pod_uid;
	pod = uid ? sinsp_pods_find(pods, uid) : NULL;
	if (pod && pod->info)
		return pod;
	listed = sinsp_pods_find_with(pods, container->id);
	if (listed)
		return listed;
	return uid ? sinsp_pods_get(pods, uid) : NULL;
}

/* Takes the container out of its pod, which it returns: the caller reports the change. */
static struct sinsp_pod_entry *unlink_pod(struct sinsp_container *container)
{
	struct sinsp_pod_entry *pod = container->pod;
	struct sinsp_container **link;

	if (!pod)
		return NULL;
	link = &pod->containers;
	while (*link != container)
		link = &(*link)->pod_next;
	*link = container->pod_next;
	container->pod = NULL;
	container->pod_next = NULL;
	return pod;
}

void sinsp_container_leave_pod(struct sinsp_pods *pods, struct sinsp_container *container)
{
	struct sinsp_pod_entry *left = unlink_pod(container);

	if (left)
		sinsp_pods_containers_changed(pods, left);
}

/* The other pod first: a pod that is left may take the place of the oldest one kept. */
static void enter_pod(struct sinsp_pods *pods, struct sinsp_container *container,
		      struct sinsp_pod_entry *pod)
{
	struct sinsp_pod_entry *left = unlink_pod(container);

	if (pod) {
		container->pod = pod;
		container->pod_next = pod->containers;
		pod->containers = container;
		sinsp_pods_containers_changed(pods, pod);
	}
	if (left)
		sinsp_pods_containers_changed(pods, left);
}

static const struct sinsp_pod_container *find_listed(const struct sinsp_container *container)
{
	const struct sinsp_pod_info *pod = container->pod ? container->pod->info : NULL;

	for (size_t i = 0; pod && i < pod->containers.count; i++)
		if (strcmp(pod->containers.items[i].id, container->id) == 0)
			return &pod->containers.items[i];
	return NULL;
}

static void complete_text(const char **text, const char *by_pod)
{
	if (!*text)
		*text = by_pod;
}

/* The runtime's own description of a container is more exact. */
static void container_complete(struct sinsp_container_info *info,
			       const struct sinsp_pod_container *listed)
{
	complete_text(&info->name, listed->name);
	complete_text(&info->image.name, listed->image.name);
	complete_text(&info->image.id, listed->image.id);
	complete_text(&info->image.repository, listed->image.repository);
	complete_text(&info->image.tag, listed->image.tag);
	complete_text(&info->image.digest, listed->image.digest);
}

static void container_set_info(const struct sinsp_pods *pods, struct sinsp_container *container)
{
	const struct sinsp_pod_container *listed = find_listed(container);
	struct sinsp_container_info *info = &container->info;

	*info = container->runtime_info ? *container->runtime_info
					: (struct sinsp_container_info){0};
	info->texts = (struct sinsp_texts){0};
	if (container->owner != SINSP_OWNER_ROOT)
		info->pod = (struct sinsp_pod){0};
	else
		complete_text(&info->pod.uid, *container->pod_uid ? container->pod_uid : NULL);
	if (container->pod && container->pod->info)
		sinsp_pod_complete(&info->pod, &container->pod->info->pod);
	/* All containers of a pod have its address; that of one in the host's network is the
	 * node's. */
	if (info->host_network != SINSP_YES)
		complete_text(&info->ip, info->pod.ip);
	if (info->pod.uid || info->pod.name) {
		complete_text(&info->pod.node, pods->node);
		complete_text(&info->pod.cluster, pods->cluster);
	}
	container->is_listed = listed;
	if (listed)
		container_complete(info, listed);
	sinsp_container_changed(container);
}

void sinsp_container_set_pod(struct sinsp_pods *pods, struct sinsp_container *container)
{
	struct sinsp_pod_entry *pod = container_find_pod(pods, container);

	if (pod != container->pod)
		enter_pod(pods, container, pod);
	container_set_info(pods, container);
}
