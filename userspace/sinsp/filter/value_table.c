/* SPDX-License-Identifier: MIT */
/* Constants in a hash table with open addressing, for `in` with long lists. */
#include <errno.h>
#include <string.h>

#include "sinsp/filter/program.h"
#include "util/hash.h"

struct value_table {
	bool numbers; /* else bytes */
	uint32_t mask;
	const struct field_value **buckets; /* NULL: free; never full */
};

static uint32_t hash_value(const struct value_table *table, const struct field_value *value)
{
	if (table->numbers)
		return (uint32_t)((value->u64 * 0x9e3779b97f4a7c15u) >> 32);
	return hash_bytes(value->bytes.data, value->bytes.len);
}

static bool values_equal(const struct value_table *table, const struct field_value *a,
			 const struct field_value *b)
{
	if (table->numbers)
		return a->u64 == b->u64;
	return a->bytes.len == b->bytes.len &&
	       memcmp(a->bytes.data, b->bytes.data, a->bytes.len) == 0;
}

/* The bucket of an equal value, or the free one where it belongs. */
static const struct field_value **find_bucket(const struct value_table *table,
					      const struct field_value *value)
{
	uint32_t at = hash_value(table, value) & table->mask;

	while (table->buckets[at] && !values_equal(table, table->buckets[at], value))
		at = (at + 1) & table->mask;
	return &table->buckets[at];
}

int value_table_create(struct arena *arena, enum param_type type,
		       const struct filter_constant *constants, uint32_t n,
		       struct value_table **table)
{
	bool bytes = type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH ||
		     type == PT_BYTEBUF;
	struct value_table *made;
	uint32_t size = 8;

	*table = NULL;
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
	*table = made;
	return 0;
}

bool value_table_has(const struct value_table *table, const struct field_value *value)
{
	return *find_bucket(table, value) != NULL;
}
