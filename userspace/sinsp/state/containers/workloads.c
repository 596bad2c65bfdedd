/* SPDX-License-Identifier: MIT */
/* The table of workloads: sets of a few places each, none of which is searched further. */
#include "sinsp/state/containers/workloads.h"

#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/cgroup_path.h"
#include "util/hash.h"

#define NS_PER_S UINT64_C(1000000000)

enum { PLACES = 8, SETS = WORKLOADS_MAX / PLACES };

/* Of a pod; without a uid the place is free. */
struct workload_entry {
	char uid[STATE_POD_UID_BYTES];
	uint64_t asked_ns; /* of the events' clock */
	uint64_t used; /* the number of the last use */
	char *texts; /* kind and name, a NUL behind each; owned: of the pool; NULL: not known */
	uint32_t bytes; /* of both */
	struct state_workload workload; /* refers to them */
};

static void free_texts(struct workloads *workloads, struct workload_entry *entry)
{
	pool_free(workloads->pool, entry->texts, entry->bytes);
	entry->texts = NULL;
}

void workloads_finish(struct workloads *workloads)
{
	for (size_t i = 0; workloads->entries && i < WORKLOADS_MAX; i++)
		free_texts(workloads, &workloads->entries[i]);
	free(workloads->entries);
	workloads->entries = NULL;
}

static struct workload_entry *set_of(const struct workloads *workloads, const char *uid)
{
	return &workloads->entries[hash_bytes(uid, strlen(uid)) % SETS * PLACES];
}

static struct workload_entry *entry_of(const struct workloads *workloads, const char *uid)
{
	struct workload_entry *set;

	if (!workloads->entries || !*uid)
		return NULL;
	set = set_of(workloads, uid);
	for (unsigned int i = 0; i < PLACES; i++)
		if (strcmp(set[i].uid, uid) == 0)
			return &set[i];
	return NULL;
}

const struct state_workload *workloads_find(const struct workloads *workloads, const char *uid)
{
	const struct workload_entry *entry = uid ? entry_of(workloads, uid) : NULL;

	return entry && entry->texts ? &entry->workload : NULL;
}

/* A free place, or that of the one that was not used for longest. */
static struct workload_entry *place_for(struct workloads *workloads, const char *uid)
{
	struct workload_entry *set = set_of(workloads, uid), *place = set;

	for (unsigned int i = 0; i < PLACES && place->uid[0]; i++)
		if (!set[i].uid[0] || set[i].used < place->used)
			place = &set[i];
	free_texts(workloads, place);
	*place = (struct workload_entry){0};
	memcpy(place->uid, uid, strlen(uid) + 1);
	return place;
}

static bool workloads_begin(struct workloads *workloads)
{
	if (!workloads->entries)
		workloads->entries = calloc(WORKLOADS_MAX, sizeof(*workloads->entries));
	return workloads->entries;
}

bool workloads_want(struct workloads *workloads, const char *uid, uint64_t now_ns)
{
	struct workload_entry *entry;
	bool is_due;

	if (!*uid || strlen(uid) >= STATE_POD_UID_BYTES || !workloads_begin(workloads))
		return false;
	entry = entry_of(workloads, uid);
	is_due = !entry ||
		 (!entry->texts && now_ns >= entry->asked_ns + WORKLOADS_AGAIN_S * NS_PER_S);
	if (!entry)
		entry = place_for(workloads, uid);
	entry->used = ++workloads->uses;
	if (is_due)
		entry->asked_ns = now_ns;
	return is_due;
}

void workloads_set(struct workloads *workloads, const char *uid,
		   const struct state_workload *workload)
{
	struct workload_entry *entry = entry_of(workloads, uid);
	size_t kind_bytes, name_bytes;

	if (!entry || !workload->kind || !workload->name)
		return;
	kind_bytes = strlen(workload->kind) + 1;
	name_bytes = strlen(workload->name) + 1;
	free_texts(workloads, entry);
	if (kind_bytes > WORKLOADS_TEXT_BYTES_MAX || name_bytes > WORKLOADS_TEXT_BYTES_MAX)
		return;
	entry->bytes = (uint32_t)(kind_bytes + name_bytes);
	entry->texts = pool_alloc(workloads->pool, entry->bytes);
	if (!entry->texts)
		return;
	memcpy(entry->texts, workload->kind, kind_bytes);
	memcpy(entry->texts + kind_bytes, workload->name, name_bytes);
	entry->workload = (struct state_workload){
		.kind = entry->texts,
		.name = entry->texts + kind_bytes,
		.derived = workload->derived,
	};
}
