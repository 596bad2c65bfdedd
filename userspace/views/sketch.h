/* SPDX-License-Identifier: MIT */
/*
 * How often values occurred, in buckets of a width that grows with the value: quantiles and
 * histograms. Each power of two has 64 buckets, so that a value is known to within 1/128 of it;
 * below 64 it is exact.
 */
#ifndef VIEWS_SKETCH_H
#define VIEWS_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "views/memory.h"

enum {
	VIEWS_SKETCH_BITS = 6,
	VIEWS_SKETCH_STEPS = 1 << VIEWS_SKETCH_BITS, /* buckets of a power of two */
	VIEWS_SKETCH_EXACT = 2 * VIEWS_SKETCH_STEPS, /* below, a bucket has one value */
	VIEWS_SKETCH_PARTS = 65 - VIEWS_SKETCH_BITS, /* those below 64, then a power of two each */
};

/* The largest share of a value by which a quantile is wrong. */
#define VIEWS_SKETCH_ERROR (1.0 / (2 * VIEWS_SKETCH_STEPS))

/* A zeroed struct is empty. */
struct views_sketch {
	uint64_t count; /* of all values, */
	uint64_t lost; /* and of these, those for which there was no memory */
	uint64_t *parts[VIEWS_SKETCH_PARTS]; /* owned: VIEWS_SKETCH_STEPS counts each, or NULL */
};

/* Counts a value. Returns false if there was no memory: then it is only in `count` and `lost`. */
bool views_sketch_add(struct views_sketch *sketch, struct views_memory *memory, uint64_t value);

/* Counts a value so many times. Returns false likewise. */
bool views_sketch_add_times(struct views_sketch *sketch, struct views_memory *memory,
			    uint64_t value, uint64_t times);

/*
 * The smallest value that at least `percent` of all are not above, from 0 to 100: at most
 * VIEWS_SKETCH_ERROR of it away. 0 if there are none.
 */
uint64_t views_sketch_quantile(const struct views_sketch *sketch, double percent);

/* The number of values that equal one below VIEWS_SKETCH_EXACT. */
uint64_t views_sketch_exactly(const struct views_sketch *sketch, unsigned int value);

/* The number of values from 2^power (0: from 0) up to, without, 2^(power + 1). */
uint64_t views_sketch_octave(const struct views_sketch *sketch, unsigned int power);

void views_sketch_finish(struct views_sketch *sketch, struct views_memory *memory);

#endif
