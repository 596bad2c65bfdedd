/* SPDX-License-Identifier: MIT */
/*
 * Exponential histograms of durations, as OpenTelemetry defines them: bucket i of scale s has
 * values above 2^(i / 2^s) seconds and up to 2^((i + 1) / 2^s). The scale begins at the finest one,
 * and falls when the values would need more buckets than there may be. Memory grows with the
 * values.
 */
#ifndef REQUESTS_METRICS_HISTOGRAM_H
#define REQUESTS_METRICS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "util/pool.h"

enum { HISTOGRAM_SCALE_MAX = 20, HISTOGRAM_BUCKETS_MAX = 160 };

/* A zeroed struct is empty. */
struct histogram {
	void *counts; /* owned: `room` of `width` bytes, of which `len` are in use */
	uint64_t zeros; /* values of 0, which have no bucket */
	int32_t first; /* index of the first bucket in use */
	uint8_t coarseness; /* HISTOGRAM_SCALE_MAX less the scale */
	uint8_t len, room, width;
};

/*
 * Counts a value. Memory comes from the pool. Returns false if there was none: then the value is
 * in no bucket, or one that is coarser than need be.
 */
bool histogram_add(struct histogram *histogram, struct pool *pool, uint64_t ns);

/* The count of a bucket, from 0 to len - 1; its index is first + at. */
uint64_t histogram_count(const struct histogram *histogram, unsigned int at);

static inline int histogram_scale(const struct histogram *histogram)
{
	return HISTOGRAM_SCALE_MAX - histogram->coarseness;
}

/* Bytes that it has from the pool. */
static inline uint32_t histogram_bytes(const struct histogram *histogram)
{
	return (uint32_t)histogram->room * histogram->width;
}

void histogram_finish(struct histogram *histogram, struct pool *pool);

#endif
