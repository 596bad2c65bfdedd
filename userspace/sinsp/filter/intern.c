/* SPDX-License-Identifier: MIT */
/* Open addressing, never more than half full. */
#include "sinsp/filter/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { SIZE_MIN = 64 };

struct intern_bucket {
	const char *key; /* NULL: free */
	size_t len;
	uint32_t hash;
	uint32_t number;
};

/* The bucket of the key, or the free one where it belongs. */
static struct intern_bucket *intern_find(const struct intern *table, const void *key, size_t len,
					 uint32_t hash)
{
	size_t at = hash & (table->size - 1);

	for (;; at = (at + 1) & (table->size - 1)) {
		struct intern_bucket *bucket = &table->buckets[at];

		if (!bucket->key || (bucket->hash == hash && bucket->len == len &&
				     memcmp(bucket->key, key, len) == 0))
			return bucket;
	}
}

static bool intern_grow(struct intern *table)
{
	struct intern larger = *table;

	larger.size = table->size ? 2 * table->size : SIZE_MIN;
	larger.buckets = calloc(larger.size, sizeof(larger.buckets[0]));
	if (!larger.buckets)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		const struct intern_bucket *bucket = &table->buckets[i];

		if (bucket->key)
			*intern_find(&larger, bucket->key, bucket->len, bucket->hash) = *bucket;
	}
	free(table->buckets);
	*table = larger;
	return true;
}

uint32_t *intern(struct intern *table, const void *key, size_t len)
{
	uint32_t hash = hash_bytes(key, len);
	struct intern_bucket *bucket;

	if (table->count >= table->size / 2 && !intern_grow(table))
		return NULL;
	bucket = intern_find(table, key, len, hash);
	if (!bucket->key) {
		const char *copy = arena_text(table->arena, key, len);

		if (!copy)
			return NULL;
		*bucket = (struct intern_bucket){copy, len, hash, 0};
		table->count++;
	}
	return &bucket->number;
}

void intern_finish(struct intern *table)
{
	free(table->buckets);
}
