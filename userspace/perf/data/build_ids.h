/* SPDX-License-Identifier: MIT */
/*
 * Build ids of files, of the kernel, and the set of those that a recording has seen, each file
 * once.
 */
#ifndef PERF_DATA_BUILD_IDS_H
#define PERF_DATA_BUILD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/data/format.h"
#include "util/arena.h"
#include "util/hash.h"

struct perf_build_id {
	uint8_t bytes[PERF_DATA_BUILD_ID_BYTES];
	uint8_t size; /* 0: there is none */
};

struct perf_build_id_entry {
	const char *path; /* NULL: a free place */
	struct perf_build_id id;
	bool is_kernel;
};

/* Zeroed: empty. */
struct perf_build_ids {
	struct perf_build_id_entry *places; /* owned */
	size_t count, capacity;
	struct hash_key key; /* processes choose the paths */
	struct arena arena;
};

/* Files beyond this number are left out. */
enum { PERF_BUILD_IDS_MAX = 1 << 16 };

/* Reads that of an ELF file: regular ones are opened alone. Returns whether it has one. */
bool perf_build_id_read(const char *path, struct perf_build_id *id);

/* Finds it among notes, as /sys/kernel/notes has them. */
bool perf_build_id_find(const void *notes, size_t bytes, struct perf_build_id *id);

/* That of the running kernel. */
bool perf_build_id_of_kernel(struct perf_build_id *id);

/* Whether a path is in the set already; the text ends with a NUL. */
bool perf_build_ids_have(const struct perf_build_ids *ids, const char *path);

/* The same, and which one it has there. */
bool perf_build_ids_get(const struct perf_build_ids *ids, const char *path,
			struct perf_build_id *id);

/* Adds a file that is not in the set. Out of memory, or room, it is left out. */
void perf_build_ids_add(struct perf_build_ids *ids, const char *path,
			const struct perf_build_id *id, bool is_kernel);

void perf_build_ids_finish(struct perf_build_ids *ids);

#endif
