/* SPDX-License-Identifier: MIT */
/* Containers: descriptions, lists, and what is known by the pod. */
#include "sinsp/state/containers/container.h"

#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/pods.h"

struct state_container_info *state_container_info_create(void)
{
	return calloc(1, sizeof(struct state_container_info));
}

void state_container_info_destroy(struct state_container_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

const char *state_meta_name(enum state_meta state)
{
	static const char *const names[STATE_META_STATES_COUNT] = {
		[STATE_META_MISSING] = "missing",
		[STATE_META_PENDING] = "pending",
		[STATE_META_OK] = "ok",
		[STATE_META_UNVERIFIED] = "unverified",
		[STATE_META_ROOTLESS] = "rootless",
		[STATE_META_PARTIAL] = "partial",
	};

	return names[state];
}

enum state_meta state_container_state(const struct state_container *container)
{
	static const enum state_meta of_user[STATE_META_STATES_COUNT] = {
		[STATE_META_MISSING] = STATE_META_UNVERIFIED,
		[STATE_META_PENDING] = STATE_META_PENDING,
		[STATE_META_OK] = STATE_META_ROOTLESS,
		[STATE_META_UNVERIFIED] = STATE_META_UNVERIFIED,
		[STATE_META_ROOTLESS] = STATE_META_ROOTLESS,
		[STATE_META_PARTIAL] = STATE_META_ROOTLESS,
	};
	bool is_known = container->state == STATE_META_OK ||
			container->state == STATE_META_PARTIAL ||
			container->state == STATE_META_PENDING;

	if (container->owner != STATE_OWNER_ROOT)
		return of_user[container->state];
	return container->is_listed && !is_known ? STATE_META_OK : container->state;
}

bool state_container_can_be_described(const struct state_container *container)
{
	return container->owner == STATE_OWNER_ROOT || (container->owner != STATE_OWNER_ANYBODY &&
							container->type == STATE_CONTAINER_PODMAN);
}

bool state_container_is_described(const struct state_container *container)
{
	return container->runtime_info || (container->pod && container->pod->info);
}

size_t state_container_short_len(const struct state_container *container)
{
	bool whole = container->is_named || container->id_len < STATE_CONTAINER_SHORT_LEN;

	return whole ? container->id_len : STATE_CONTAINER_SHORT_LEN;
}

void state_container_list_add(struct state_container_lists *lists,
			      struct state_container *container, enum state_container_listing which)
{
	struct state_container_list *list = &lists->of[which];

	if (container->links[which].listed)
		return;
	container->links[which] =
		(struct state_container_link){.older = list->newest, .listed = true};
	*(list->newest ? &list->newest->links[which].newer : &list->oldest) = container;
	list->newest = container;
	list->count++;
}

void state_container_list_remove(struct state_container_lists *lists,
				 struct state_container *container,
				 enum state_container_listing which)
{
	struct state_container_list *list = &lists->of[which];
	struct state_container_link *link = &container->links[which];

	if (!link->listed)
		return;
	*(link->older ? &link->older->links[which].newer : &list->oldest) = link->newer;
	*(link->newer ? &link->newer->links[which].older : &list->newest) = link->older;
	*link = (struct state_container_link){0};
	list->count--;
}

static struct state_pod_entry *container_find_pod(struct state_pods *pods,
						  const struct state_container *container)
{
	const char *uid = container->runtime_info ? container->runtime_info->pod.uid : NULL;
	struct state_pod_entry *pod, *listed;

	/* A user can make a group of any name. */
	if (container->owner != STATE_OWNER_ROOT)
		return NULL;
	if (*container->pod_uid)
		uid = container->pod_uid;
	pod = uid ? state_pods_find(pods, uid) : NULL;
	if (pod && pod->info)
		return pod;
	listed = state_pods_find_with(pods, container->id);
	if (listed)
		return listed;
	return uid ? state_pods_get(pods, uid) : NULL;
}

/* Takes the container out of its pod, which it returns: the caller reports the change. */
static struct state_pod_entry *unlink_pod(struct state_container *container)
{
	struct state_pod_entry *pod = container->pod;
	struct state_container **link;

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

void state_container_leave_pod(struct state_pods *pods, struct state_container *container)
{
	struct state_pod_entry *left = unlink_pod(container);

	if (left)
		state_pods_containers_changed(pods, left);
}

/* The other pod first: a pod that is left may take the place of the oldest one kept. */
static void enter_pod(struct state_pods *pods, struct state_container *container,
		      struct state_pod_entry *pod)
{
	struct state_pod_entry *left = unlink_pod(container);

	if (pod) {
		container->pod = pod;
		container->pod_next = pod->containers;
		pod->containers = container;
		state_pods_containers_changed(pods, pod);
	}
	if (left)
		state_pods_containers_changed(pods, left);
}

static const struct state_pod_container *find_listed(const struct state_container *container)
{
	const struct state_pod_info *pod = container->pod ? container->pod->info : NULL;

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
static void container_complete(struct state_container_info *info,
			       const struct state_pod_container *listed)
{
	complete_text(&info->name, listed->name);
	complete_text(&info->image.name, listed->image.name);
	complete_text(&info->image.id, listed->image.id);
	complete_text(&info->image.repository, listed->image.repository);
	complete_text(&info->image.tag, listed->image.tag);
	complete_text(&info->image.digest, listed->image.digest);
}

static void container_set_info(const struct state_pods *pods, struct state_container *container)
{
	const struct state_pod_container *listed = find_listed(container);
	struct state_container_info *info = &container->info;

	*info = container->runtime_info ? *container->runtime_info
					: (struct state_container_info){0};
	info->texts = (struct state_texts){0};
	if (container->owner != STATE_OWNER_ROOT)
		info->pod = (struct state_pod){0};
	else
		complete_text(&info->pod.uid, *container->pod_uid ? container->pod_uid : NULL);
	if (container->pod && container->pod->info)
		state_pod_complete(&info->pod, &container->pod->info->pod);
	/* All containers of a pod have its address; that of one in the host's network is the
	 * node's. */
	if (info->host_network != STATE_YES)
		complete_text(&info->ip, info->pod.ip);
	if (info->pod.uid || info->pod.name) {
		complete_text(&info->pod.node, pods->node);
		complete_text(&info->pod.cluster, pods->cluster);
	}
	container->is_listed = listed;
	if (listed)
		container_complete(info, listed);
	state_container_changed(container);
}

void state_container_set_pod(struct state_pods *pods, struct state_container *container)
{
	struct state_pod_entry *pod = container_find_pod(pods, container);

	if (pod != container->pod)
		enter_pod(pods, container, pod);
	container_set_info(pods, container);
}
