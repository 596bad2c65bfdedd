/* SPDX-License-Identifier: MIT */
/* Constants in a hash table with open addressing, for `in` with long lists. */
#include <errno.h>
#include <string.h>

#include "sinsp/filter/program.h"
#include "util/hash.h"

struct filter_set {
	bool numbers; /* else bytes */
	uint32_t mask;
	const struct field_value **buckets; /* NULL: free; never full */
};

static uint32_t hash_value(const struct filter_set *set, const struct field_value *value)
{
	if (set->numbers)
		return (uint32_t)((value->u64 * 0x9e3779b97f4a7c15u) >> 32);
	return hash_bytes(value->bytes.data, value->bytes.len);
}

static bool values_equal(const struct filter_set *set, const struct field_value *a,
			 const struct field_value *b)
{
	if (set->numbers)
		return a->u64 == b->u64;
	return a->bytes.len == b->bytes.len &&
	       memcmp(a->bytes.data, b->bytes.data, a->bytes.len) == 0;
}

/* The bucket of an equal value, or the free one where it belongs. */
static const struct field_value **find_bucket(const struct filter_set *set,
					      const struct field_value *value)
{
	uint32_t at = hash_value(set, value) & set->mask;

	while (set->buckets[at] && !values_equal(set, set->buckets[at], value))
		at = (at + 1) & set->mask;
	return &set->buckets[at];
}

int filter_set_create(struct arena *arena, enum param_type type,
		      const struct filter_constant *constants, uint32_t n, struct filter_set **set)
{
	bool bytes = type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH ||
		     type == PT_BYTEBUF;
	struct filter_set *made;
	uint32_t size = 8;

	*set = NULL;
	if (!bytes && (type == PT_DOUBLE || !param_type_size(type)))
		return 0;
	while (size < 2 * n)
		size *= 2;
	made = arena_alloc(arena, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->numbers = !bytes;
	made->mask = size - 1;
	made->buckets = arena_alloc(arena, size * sizeof(made->buckets[0]));
	if (!made->buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		*find_bucket(made, &constants[i].value) = &constants[i].value;
	*set = made;
	return 0;
}

bool filter_set_has(const struct filter_set *set, const struct field_value *value)
{
	return *find_bucket(set, value) != NULL;
}
