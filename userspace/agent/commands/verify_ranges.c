/* SPDX-License-Identifier: MIT */
/* A sorted array of ranges that do not touch. */
#include "agent/commands/verify_ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ranges_finish(struct ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct ranges){0};
}

/* The index of the first range that ends at `number` or behind it. */
static size_t find(const struct ranges *ranges, uint64_t number)
{
	size_t low = 0, high = ranges->count;

	if (high && ranges->list[high - 1].to < number)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].to < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct ranges *ranges, size_t at, struct range range)
{
	size_t capacity = ranges->capacity ? ranges->capacity * 2 : 16;

	if (ranges->count == ranges->capacity) {
		struct range *list = realloc(ranges->list, capacity * sizeof(*list));

		if (!list)
			return -ENOMEM;
		ranges->list = list;
		ranges->capacity = capacity;
	}
	memmove(&ranges->list[at + 1], &ranges->list[at],
		(ranges->count - at) * sizeof(ranges->list[0]));
	ranges->list[at] = range;
	ranges->count++;
	return 0;
}

int ranges_add(struct ranges *ranges, uint64_t from, uint64_t to)
{
	/* One that ends right before it grows, too. */
	size_t at = find(ranges, from ? from - 1 : 0), end = at;
	struct range *list = ranges->list;

	while (end < ranges->count && (to == UINT64_MAX || list[end].from <= to + 1))
		end++;
	if (at == end)
		return insert(ranges, at, (struct range){from, to});
	if (list[at].from > from)
		list[at].from = from;
	if (list[end - 1].to > to)
		to = list[end - 1].to;
	if (list[at].to < to)
		list[at].to = to;
	memmove(&list[at + 1], &list[end], (ranges->count - end) * sizeof(list[0]));
	ranges->count -= end - at - 1;
	return 0;
}

bool ranges_have(const struct ranges *ranges, uint64_t number)
{
	size_t at = find(ranges, number);

	return at < ranges->count && ranges->list[at].from <= number;
}

uint64_t ranges_total(const struct ranges *ranges)
{
	uint64_t total = 0;

	for (size_t i = 0; i < ranges->count; i++)
		total += ranges->list[i].to - ranges->list[i].from + 1;
	return total;
}

/* Moves `number` behind the range that has it; returns whether there is one. */
static bool skip(const struct ranges *ranges, uint64_t *number)
{
	size_t at = find(ranges, *number);

	if (at == ranges->count || ranges->list[at].from > *number)
		return false;
	*number = ranges->list[at].to + 1;
	return true;
}

/* The end of the numbers from `number` on that are not in the set. */
static uint64_t hole_end(const struct ranges *ranges, uint64_t number, uint64_t to)
{
	size_t at = find(ranges, number);

	return at < ranges->count && ranges->list[at].from <= to ? ranges->list[at].from - 1 : to;
}

bool ranges_find_hole(const struct ranges *a, const struct ranges *b, uint64_t from, uint64_t to,
		      struct range *hole)
{
	while (from && from <= to && (skip(a, &from) || skip(b, &from)))
		;
	if (!from || from > to)
		return false;
	hole->from = from;
	hole->to = hole_end(b, from, hole_end(a, from, to));
	return true;
}
