/* SPDX-License-Identifier: MIT */
/* A hash table of processes, each with a sorted array of mappings. */
#include "scap/samples/process_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPINGS_MIN = 16, PLACES = PROCESS_PLACES };

static size_t place_of(int32_t pid)
{
	return ((uint32_t)pid * 2654435761u) % PLACES;
}

/* The entry at a place; NULL: it is free, as all of its group. */
static struct process_entry *entry_at(const struct process_maps *maps, size_t place)
{
	struct process_entry *group = maps->groups[place / PROCESS_GROUP];

	return group ? &group[place % PROCESS_GROUP] : NULL;
}

/* The process at a place; NULL: it is free. */
static struct process_entry *process_at(const struct process_maps *maps, size_t place)
{
	struct process_entry *entry = entry_at(maps, place);

	return entry && entry->pid ? entry : NULL;
}

static uint64_t list_bytes(size_t capacity)
{
	return sizeof(struct process_mappings) + capacity * sizeof(struct process_mapping);
}

static void list_drop(struct process_mappings *list, uint64_t *bytes)
{
	if (!list || --list->users)
		return;
	*bytes -= list_bytes(list->capacity);
	free(list);
}

/* A copy of its own, with room for more; NULL: none. */
static struct process_mappings *list_own(struct process_mappings *list, size_t more,
					 uint64_t *bytes)
{
	size_t count = list ? list->count : 0, capacity = MAPPINGS_MIN;
	struct process_mappings *own;
	uint64_t given; /* back, where the list is replaced */

	if (list && list->users == 1 && count + more <= list->capacity)
		return list;
	while (capacity < count + more)
		capacity *= 2;
	given = list && list->users == 1 ? list_bytes(list->capacity) : 0;
	if (*bytes - given + list_bytes(capacity) > PROCESS_MAPS_BYTES_MAX)
		return NULL;
	own = malloc(list_bytes(capacity));
	if (!own)
		return NULL;
	*bytes += list_bytes(capacity);
	own->users = 1;
	own->count = count;
	own->capacity = capacity;
	if (list)
		memcpy(own->list, list->list, count * sizeof(own->list[0]));
	list_drop(list, bytes);
	return own;
}

struct process_entry *process_maps_find(struct process_maps *maps, int32_t pid)
{
	struct process_entry *process;

	for (size_t i = place_of(pid); pid > 0 && (process = process_at(maps, i));
	     i = (i + 1) % PLACES)
		if (process->pid == pid)
			return process;
	return NULL;
}

static void forget_all(struct process_maps *maps)
{
	for (size_t i = 0; maps->count && i < PLACES; i++) {
		struct process_entry *process = process_at(maps, i);

		if (process)
			list_drop(process->mappings, process->bytes);
	}
	for (size_t i = 0; i < PLACES / PROCESS_GROUP; i++) {
		free(maps->groups[i]);
		maps->groups[i] = NULL;
	}
	maps->count = 0;
}

struct process_entry *process_maps_get(struct process_maps *maps, int32_t pid)
{
	struct process_entry *found = process_maps_find(maps, pid), **group;
	size_t i = place_of(pid);

	if (found || pid <= 0)
		return found;
	/* A new one has room for as many as it may have. */
	if (maps->count == PROCESSES_MAX ||
	    maps->bytes + list_bytes(MAPPINGS_MAX) > PROCESS_MAPS_BYTES_MAX) {
		forget_all(maps);
		maps->forgotten++;
	}
	while (process_at(maps, i))
		i = (i + 1) % PLACES;
	group = &maps->groups[i / PROCESS_GROUP];
	if (!*group)
		*group = calloc(PROCESS_GROUP, sizeof(**group));
	if (!*group)
		return NULL;
	maps->count++;
	found = entry_at(maps, i);
	found->pid = pid;
	found->bytes = &maps->bytes;
	return found;
}

void process_maps_exec(struct process_entry *process, uint64_t time_ns)
{
	if (process->exec_ns <= time_ns)
		process->exec_ns = 0;
	if (process->state == MAPPED_KNOWN && process->begun_ns > time_ns)
		return;
	list_drop(process->mappings, process->bytes);
	process->mappings = NULL;
	process->state = MAPPED_KNOWN;
	process->begun_ns = process->read_ns = time_ns;
}

static void forget_mappings(struct process_entry *process)
{
	list_drop(process->mappings, process->bytes);
	process->mappings = NULL;
	process->state = MAPPED_UNKNOWN;
}

void process_maps_forget(struct process_maps *maps, uint64_t time_ns)
{
	for (size_t i = 0; i < PLACES; i++) {
		struct process_entry *process = process_at(maps, i);

		if (!process) {
			if (!entry_at(maps, i))
				i |= PROCESS_GROUP - 1;
			continue;
		}
		if (process->state == MAPPED_ASKED)
			process->added_ns = time_ns;
		else
			forget_mappings(process);
	}
}

static bool is_known_at(const struct process_entry *process, uint64_t time_ns)
{
	return process && process->state == MAPPED_KNOWN && process->read_ns <= time_ns;
}

void process_maps_fork(struct process_maps *maps, int32_t parent, int32_t child, uint64_t time_ns)
{
	struct process_entry *to;
	const struct process_entry *from;

	if (parent == child)
		return;
	if (is_known_at(process_maps_find(maps, parent), time_ns))
		to = process_maps_get(maps, child);
	else
		to = process_maps_find(maps, child);
	if (!to)
		return;
	forget_mappings(to);
	from = process_maps_find(maps, parent);
	if (!is_known_at(from, time_ns))
		return;
	to->state = MAPPED_KNOWN;
	to->begun_ns = from->begun_ns;
	to->read_ns = from->read_ns;
	to->mappings = from->mappings;
	if (to->mappings)
		to->mappings->users++;
}

/* Those behind it move to where they are found without it. */
void process_maps_end(struct process_maps *maps, int32_t pid)
{
	struct process_entry *found = process_maps_find(maps, pid), *next;
	size_t hole = place_of(pid), i;

	if (!found)
		return;
	list_drop(found->mappings, found->bytes);
	while (entry_at(maps, hole) != found)
		hole = (hole + 1) % PLACES;
	*found = (struct process_entry){0};
	maps->count--;
	for (i = (hole + 1) % PLACES; (next = process_at(maps, i)); i = (i + 1) % PLACES) {
		size_t wanted = place_of(next->pid);

		if ((i + PLACES - wanted) % PLACES < (i + PLACES - hole) % PLACES)
			continue;
		*entry_at(maps, hole) = *next;
		*next = (struct process_entry){0};
		hole = i;
	}
}

/* The first mapping that ends behind an address. */
static size_t list_search(const struct process_mappings *list, uint64_t address)
{
	size_t low = 0, high = list ? list->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cuts what is in the way out of the list, and makes a gap there. Two pieces may be left of one. */
static size_t make_gap(struct process_mappings *list, const struct process_mapping *mapping)
{
	size_t first = list_search(list, mapping->begin), last = first;
	struct process_mapping pieces[2];
	size_t kept = 0, before = 0;

	while (last < list->count && list->list[last].begin < mapping->end) {
		const struct process_mapping *old = &list->list[last++];

		if (old->begin < mapping->begin) {
			pieces[kept] = *old;
			pieces[kept++].end = mapping->begin;
			before = 1;
		}
		if (old->end > mapping->end) {
			pieces[kept] = *old;
			pieces[kept].begin = mapping->end;
			pieces[kept++].offset += mapping->end - old->begin;
		}
	}
	memmove(&list->list[first + kept + 1], &list->list[last],
		(list->count - last) * sizeof(list->list[0]));
	list->count += kept + 1 - (last - first);
	for (size_t i = 0; i < kept; i++)
		list->list[first + i + (i >= before)] = pieces[i];
	return first + before;
}

int process_maps_add(struct process_entry *process, const struct process_mapping *mapping)
{
	struct process_mappings *list = process->mappings;
	size_t at;

	if (mapping->begin >= mapping->end)
		return 0;
	if (list && list->count + 2 > MAPPINGS_MAX)
		return -E2BIG;
	list = list_own(list, 2, process->bytes);
	if (!list)
		return -ENOMEM;
	process->mappings = list;
	at = make_gap(list, mapping);
	list->list[at] = *mapping;
	return 0;
}

const struct process_mapping *process_maps_at(const struct process_entry *process, uint64_t address)
{
	const struct process_mappings *list = process->mappings;
	size_t at = list_search(list, address);

	return list && at < list->count && list->list[at].begin <= address ? &list->list[at] : NULL;
}

void process_maps_finish(struct process_maps *maps)
{
	forget_all(maps);
}
