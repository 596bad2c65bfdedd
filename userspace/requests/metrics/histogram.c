/* SPDX-License-Identifier: MIT */
/*
 * A value is given its index at the finest scale; the indexes of coarser ones are its higher bits,
 * so that a histogram is the same whether it was coarse when a value came or became so later.
 */
#include "requests/metrics/histogram.h"

#include <math.h>
#include <string.h>

#define NS_PER_S 1e9

/* The index at the finest scale. Powers of two are the upper ends of their buckets. */
static int32_t index_of(uint64_t ns)
{
	int power;
	double part = frexp((double)ns / NS_PER_S, &power);

	if (part == 0.5)
		return (power - 1) * (1 << HISTOGRAM_SCALE_MAX) - 1;
	return power * (1 << HISTOGRAM_SCALE_MAX) +
	       (int32_t)floor(log2(part) * (1 << HISTOGRAM_SCALE_MAX));
}

static uint64_t count_at(const void *counts, uint8_t width, unsigned int at)
{
	switch (width) {
	case sizeof(uint8_t):
		return ((const uint8_t *)counts)[at];
	case sizeof(uint16_t):
		return ((const uint16_t *)counts)[at];
	case sizeof(uint32_t):
		return ((const uint32_t *)counts)[at];
	default:
		return ((const uint64_t *)counts)[at];
	}
}

static void set_count(void *counts, uint8_t width, unsigned int at, uint64_t count)
{
	if (width == sizeof(uint8_t))
		((uint8_t *)counts)[at] = (uint8_t)count;
	else if (width == sizeof(uint16_t))
		((uint16_t *)counts)[at] = (uint16_t)count;
	else if (width == sizeof(uint32_t))
		((uint32_t *)counts)[at] = (uint32_t)count;
	else
		((uint64_t *)counts)[at] = count;
}

uint64_t histogram_count(const struct histogram *histogram, unsigned int at)
{
	return count_at(histogram->counts, histogram->width, at);
}

/* Moves the counts to other memory. Returns whether there was any. */
static bool resize(struct histogram *histogram, struct pool *pool, uint8_t room, uint8_t width)
{
	void *counts = pool_alloc(pool, (size_t)room * width);

	if (!counts)
		return false;
	memset(counts, 0, (size_t)room * width);
	for (unsigned int at = 0; at < histogram->len; at++)
		set_count(counts, width, at, histogram_count(histogram, at));
	pool_free(pool, histogram->counts, histogram_bytes(histogram));
	histogram->counts = counts;
	histogram->room = room;
	histogram->width = width;
	return true;
}

/* Adds to a bucket, whose counter may need more bytes. */
static bool histogram_raise(struct histogram *histogram, struct pool *pool, unsigned int at,
			    uint64_t by)
{
	uint64_t count = histogram_count(histogram, at) + by;

	while (histogram->width < sizeof(count) && count >> 8 * histogram->width)
		if (!resize(histogram, pool, histogram->room, histogram->width * 2))
			return false;
	set_count(histogram->counts, histogram->width, at, count);
	return true;
}

/* Joins 2^steps buckets each. */
static bool histogram_coarsen(struct histogram *histogram, struct pool *pool, unsigned int steps)
{
	int32_t first = histogram->first >> steps;
	bool complete = true;
	unsigned int to = 0;

	for (unsigned int at = 0; at < histogram->len; at++) {
		uint64_t count = histogram_count(histogram, at);

		to = (unsigned int)(((histogram->first + (int32_t)at) >> steps) - first);
		if (to == at || !count)
			continue;
		set_count(histogram->counts, histogram->width, at, 0);
		complete &= histogram_raise(histogram, pool, to, count);
	}
	histogram->len = histogram->len ? (uint8_t)(to + 1) : 0;
	histogram->first = first;
	histogram->coarseness += (uint8_t)steps;
	return complete;
}

/* How often the buckets from the one to the other are to be halved until there are at most so many.
 */
static unsigned int steps_to_fit(int32_t low, int32_t high, unsigned int buckets)
{
	unsigned int steps = 0;

	while ((high >> steps) - (low >> steps) >= (int32_t)buckets)
		steps++;
	return steps;
}

/* Makes room for so many buckets, if there is memory. */
static void grow(struct histogram *histogram, struct pool *pool, unsigned int buckets)
{
	static const uint8_t rooms[] = {8, 24, 64, HISTOGRAM_BUCKETS_MAX};
	size_t i = 0;

	if (buckets <= histogram->room)
		return;
	while (rooms[i] < buckets)
		i++;
	resize(histogram, pool, rooms[i], histogram->width ? histogram->width : sizeof(uint8_t));
}

/* Makes the bucket at a finest index one of those in use, coarser if need be. */
static bool cover(struct histogram *histogram, struct pool *pool, int32_t index)
{
	int32_t at = index >> histogram->coarseness, low = at, high = at;
	unsigned int steps;
	bool complete = true;

	if (histogram->len) {
		int32_t last = histogram->first + histogram->len - 1;

		low = at < histogram->first ? at : histogram->first;
		high = at > last ? at : last;
	}
	steps = steps_to_fit(low, high, HISTOGRAM_BUCKETS_MAX);
	grow(histogram, pool, (unsigned int)((high >> steps) - (low >> steps)) + 1);
	if (!histogram->room)
		return false;
	steps = steps_to_fit(low, high, histogram->room);
	if (steps)
		complete = histogram_coarsen(histogram, pool, steps);
	low >>= steps;
	high >>= steps;
	if (histogram->len && low < histogram->first) {
		size_t moved = (size_t)(histogram->first - low) * histogram->width;

		memmove((char *)histogram->counts + moved, histogram->counts,
			(size_t)histogram->len * histogram->width);
		memset(histogram->counts, 0, moved);
	}
	histogram->first = low;
	histogram->len = (uint8_t)(high - low + 1);
	return complete;
}

bool histogram_add(struct histogram *histogram, struct pool *pool, uint64_t ns)
{
	int32_t index;
	uint32_t at;
	bool complete = true;

	if (ns == 0) {
		histogram->zeros++;
		return true;
	}
	index = index_of(ns);
	at = (uint32_t)(index >> histogram->coarseness) - (uint32_t)histogram->first;
	if (at >= histogram->len) {
		complete = cover(histogram, pool, index);
		if (!histogram->room)
			return false;
		at = (uint32_t)((index >> histogram->coarseness) - histogram->first);
	}
	return histogram_raise(histogram, pool, at, 1) && complete;
}

void histogram_finish(struct histogram *histogram, struct pool *pool)
{
	pool_free(pool, histogram->counts, histogram_bytes(histogram));
	*histogram = (struct histogram){0};
}
