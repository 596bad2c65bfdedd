/* SPDX-License-Identifier: MIT */
/* Buckets of integers alone: programs of the kernel can count in the same way. */
#include "views/sketch.h"

#include <math.h>
#include <string.h>

enum { PART_BYTES = VIEWS_SKETCH_STEPS * sizeof(uint64_t) };

/* The part and the bucket in it: the highest bit, and the six bits behind it. */
static unsigned int find_bucket(uint64_t value, unsigned int *step)
{
	unsigned int high;

	if (value < VIEWS_SKETCH_STEPS) {
		*step = (unsigned int)value;
		return 0;
	}
	high = 63 - (unsigned int)__builtin_clzll(value);
	*step = (unsigned int)(value >> (high - VIEWS_SKETCH_BITS)) & (VIEWS_SKETCH_STEPS - 1);
	return high - VIEWS_SKETCH_BITS + 1;
}

/* The middle of a bucket. */
static uint64_t bucket_middle(unsigned int part, unsigned int step)
{
	uint64_t width;

	if (part == 0)
		return step;
	width = UINT64_C(1) << (part - 1);
	return (VIEWS_SKETCH_STEPS + step) * width + width / 2;
}

static uint64_t *need_part(struct views_sketch *sketch, struct views_memory *memory,
			   unsigned int part)
{
	uint64_t *counts = sketch->parts[part];

	if (counts)
		return counts;
	counts = views_memory_take(memory, PART_BYTES);
	if (counts)
		memset(counts, 0, PART_BYTES);
	sketch->parts[part] = counts;
	return counts;
}

bool views_sketch_add_times(struct views_sketch *sketch, struct views_memory *memory,
			    uint64_t value, uint64_t times)
{
	unsigned int step, part = find_bucket(value, &step);
	uint64_t *counts = need_part(sketch, memory, part);

	sketch->count += times;
	if (!counts) {
		sketch->lost += times;
		return false;
	}
	counts[step] += times;
	return true;
}

bool views_sketch_add(struct views_sketch *sketch, struct views_memory *memory, uint64_t value)
{
	return views_sketch_add_times(sketch, memory, value, 1);
}

static uint64_t sum_of(const uint64_t *counts)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; counts && i < VIEWS_SKETCH_STEPS; i++)
		sum += counts[i];
	return sum;
}

uint64_t views_sketch_quantile(const struct views_sketch *sketch, double percent)
{
	uint64_t count = sketch->count - sketch->lost, before = 0, rank;

	if (!count)
		return 0;
	/* How many values have to be at or below it. */
	rank = (uint64_t)ceil(percent * (double)count / 100);
	for (unsigned int part = 0; part < VIEWS_SKETCH_PARTS; part++)
		for (unsigned int i = 0; sketch->parts[part] && i < VIEWS_SKETCH_STEPS; i++) {
			before += sketch->parts[part][i];
			if (before && before >= rank)
				return bucket_middle(part, i);
		}
	return 0;
}

uint64_t views_sketch_exactly(const struct views_sketch *sketch, unsigned int value)
{
	unsigned int step, part = find_bucket(value, &step);

	return sketch->parts[part] ? sketch->parts[part][step] : 0;
}

uint64_t views_sketch_octave(const struct views_sketch *sketch, unsigned int power)
{
	const uint64_t *small = sketch->parts[0];
	uint64_t sum = 0;

	if (power >= VIEWS_SKETCH_BITS)
		return sum_of(sketch->parts[power - VIEWS_SKETCH_BITS + 1]);
	for (unsigned int i = power ? 1U << power : 0; small && i < 2U << power; i++)
		sum += small[i];
	return sum;
}

void views_sketch_finish(struct views_sketch *sketch, struct views_memory *memory)
{
	for (unsigned int part = 0; part < VIEWS_SKETCH_PARTS; part++)
		views_memory_give(memory, sketch->parts[part], PART_BYTES);
	*sketch = (struct views_sketch){0};
}
