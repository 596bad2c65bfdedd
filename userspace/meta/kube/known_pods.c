/* SPDX-License-Identifier: MIT */
#include "meta/kube/known_pods.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64 };

/* A node has few: they are compared one by one. */
static struct known_pod *find(const struct known_pods *known, const char *uid)
{
	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->items[i].uid, uid) == 0)
			return &known->items[i];
	return NULL;
}

static bool grow(struct known_pods *known)
{
	size_t room = known->room ? known->room * 2 : ROOM_FIRST;
	struct known_pod *items;

	if (known->count < known->room)
		return true;
	if (known->count >= KNOWN_PODS_MAX)
		return false;
	items = realloc(known->items, room * sizeof(*items));
	if (!items)
		return false;
	known->items = items;
	known->room = room;
	return true;
}

enum known_result known_pods_put(struct known_pods *known, const char *uid, uint64_t digest)
{
	struct known_pod *pod = find(known, uid);
	size_t uid_len = strlen(uid);
	bool is_same = pod && pod->digest == digest;

	if (!pod) {
		if (uid_len >= sizeof(pod->uid) || !grow(known))
			return KNOWN_REJECTED;
		pod = &known->items[known->count++];
		memcpy(pod->uid, uid, uid_len + 1);
	}
	pod->digest = digest;
	pod->list = known->list;
	return is_same ? KNOWN_SAME : KNOWN_CHANGED;
}

static void remove_item(struct known_pods *known, struct known_pod *pod)
{
	*pod = known->items[--known->count];
}

bool known_pods_remove(struct known_pods *known, const char *uid)
{
	struct known_pod *pod = find(known, uid);

	if (pod)
		remove_item(known, pod);
	return pod;
}

void known_pods_begin(struct known_pods *known)
{
	known->list++;
}

bool known_pods_take_missing(struct known_pods *known, char uid[SINSP_POD_UID_BYTES])
{
	for (size_t i = 0; i < known->count; i++) {
		struct known_pod *pod = &known->items[i];

		if (pod->list == known->list)
			continue;
		memcpy(uid, pod->uid, sizeof(pod->uid));
		remove_item(known, pod);
		return true;
	}
	return false;
}

void known_pods_finish(struct known_pods *known)
{
	free(known->items);
	*known = (struct known_pods){0};
}
