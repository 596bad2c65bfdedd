/* SPDX-License-Identifier: MIT */
/*
 * A number for each distinct key of bytes, to find duplicates. Entries are never removed.
 */
#ifndef SINSP_FILTER_INTERN_H
#define SINSP_FILTER_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

struct intern {
	struct arena *arena; /* borrowed: keeps the keys */
	struct intern_bucket *buckets; /* owned */
	size_t count, size; /* size: 0 or a power of two */
};

/*
 * The number of a key, valid until the next call; 0 for a new key. NULL if out of memory.
 */
uint32_t *intern(struct intern *table, const void *key, size_t len);

void intern_finish(struct intern *table);

#endif
