/* SPDX-License-Identifier: MIT */
/* Events that have names in perf(1) itself: those of hardware, of software and of caches. */
#ifndef PERF_NAMES_H
#define PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_generic {
	const char *name, *other; /* `other`: a second name, or NULL */
	uint32_t type;
	uint64_t config;
	const char *help;
};

/* The last one has no name. */
extern const struct perf_generic perf_generics[];

/* NULL: none has this name. */
const struct perf_generic *perf_generic_find(const char *name, size_t len);

/*
 * Whether it is the name of an event of a cache, as "L1-dcache-load-misses": a cache, then perhaps
 * an operation and a result. Sets its config.
 */
bool perf_cache_find(const char *name, size_t len, uint64_t *config);

/*
 * The names of all events of caches that hardware has: the i-th one and its config; false after the
 * last one.
 */
bool perf_cache_get(unsigned int i, char name[64], uint64_t *config);

/* Whether the name is "rHEX", of an event as the hardware numbers it. */
bool perf_raw_find(const char *name, size_t len, uint64_t *config);

#endif
