/* SPDX-License-Identifier: MIT */
/* Open addressing, never more than half full. */
#include "util/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { SIZE_MIN = 64 };

struct intern_slot {
	const char *key; /* NULL: free */
	size_t len;
	uint32_t hash;
	uint32_t number;
};

/* The slot of the key, or the free one where it belongs. */
static struct intern_slot *find(const struct intern *table, const void *key, size_t len,
				uint32_t hash)
{
	size_t at = hash & (table->size - 1);

	for (;; at = (at + 1) & (table->size - 1)) {
		struct intern_slot *slot = &table->slots[at];

		if (!slot->key ||
		    (slot->hash == hash && slot->len == len && memcmp(slot->key, key, len) == 0))
			return slot;
	}
}

static bool grow(struct intern *table)
{
	struct intern larger = *table;

	larger.size = table->size ? 2 * table->size : SIZE_MIN;
	larger.slots = calloc(larger.size, sizeof(larger.slots[0]));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		const struct intern_slot *slot = &table->slots[i];

		if (slot->key)
			*find(&larger, slot->key, slot->len, slot->hash) = *slot;
	}
	free(table->slots);
	*table = larger;
	return true;
}

uint32_t *intern(struct intern *table, const void *key, size_t len)
{
	uint32_t hash = hash_bytes(key, len);
	struct intern_slot *slot;

	if (table->count >= table->size / 2 && !grow(table))
		return NULL;
	slot = find(table, key, len, hash);
	if (!slot->key) {
		const char *copy = arena_text(table->arena, key, len);

		if (!copy)
			return NULL;
		*slot = (struct intern_slot){copy, len, hash, 0};
		table->count++;
	}
	return &slot->number;
}

void intern_finish(struct intern *table)
{
	free(table->slots);
}
