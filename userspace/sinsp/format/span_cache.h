/* SPDX-License-Identifier: MIT */
/*
 * Bytes that were written once and are copied for later events: each under a key, which stands for
 * everything that they depend on. Bounded; what has no room is written again.
 */
#ifndef SINSP_FORMAT_SPAN_CACHE_H
#define SINSP_FORMAT_SPAN_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

enum { SPAN_CACHE_SLOTS = 1024, SPAN_CACHE_BYTES_MAX = 2 << 20 };

struct span_cache_slot {
	uint64_t key; /* 0: unused */
	uint32_t at, len; /* in the bytes */
};

/* All zero: empty. */
struct span_cache {
	struct span_cache_slot *slots; /* owned; NULL before the first one */
	struct buf bytes; /* owned */
};

/* Appends the bytes of a key, which is not 0. Returns false if they are not kept. */
static inline bool span_cache_append(const struct span_cache *cache, uint64_t key, struct buf *out)
{
	const struct span_cache_slot *slot;

	if (!cache->slots)
		return false;
	slot = &cache->slots[key % SPAN_CACHE_SLOTS];
	if (slot->key != key)
		return false;
	if (slot->len) /* the first ones may be empty: then there is no memory yet */
		buf_append(out, cache->bytes.data + slot->at, slot->len);
	return true;
}

/* Keeps a copy of bytes, unless they are too many; others may have to go. */
void span_cache_add(struct span_cache *cache, uint64_t key, const char *bytes, size_t len);

/* It is empty afterwards. */
void span_cache_finish(struct span_cache *cache);

#endif
