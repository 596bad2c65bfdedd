/* SPDX-License-Identifier: MIT */
/*
 * Bytes that were written once and are copied for later events: each under a key, which stands for
 * everything that they depend on. Bounded; what has no room is written again.
 */
#ifndef SINSP_FORMAT_KEPT_H
#define SINSP_FORMAT_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

enum { KEPT_SLOTS = 1024, KEPT_BYTES_MAX = 2 << 20 };

struct kept_slot {
	uint64_t key; /* 0: unused */
	uint32_t at, len; /* in the bytes */
};

/* All zero: empty. */
struct kept {
	struct kept_slot *slots; /* owned; NULL before the first one */
	struct buf bytes; /* owned */
};

/* Appends the bytes of a key, which is not 0. Returns false if they are not kept. */
static inline bool kept_append(const struct kept *kept, uint64_t key, struct buf *out)
{
	const struct kept_slot *slot;

	if (!kept->slots)
		return false;
	slot = &kept->slots[key % KEPT_SLOTS];
	if (slot->key != key)
		return false;
	if (slot->len) /* the first ones may be empty: then there is no memory yet */
		buf_append(out, kept->bytes.data + slot->at, slot->len);
	return true;
}

/* Keeps a copy of bytes, unless they are too many; others may have to go. */
void kept_add(struct kept *kept, uint64_t key, const char *bytes, size_t len);

/* It is empty afterwards. */
void kept_finish(struct kept *kept);

#endif
