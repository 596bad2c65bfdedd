/* SPDX-License-Identifier: MIT */
/*
 * The keys of the expressions of a list: what each requires of a field, such as `proc.name in (a,
 * b)` or `fd.name startswith /x`. Keys are compared by hash alone.
 */
#ifndef SINSP_FILTER_INDEX_KEYS_H
#define SINSP_FILTER_INDEX_KEYS_H

#include <string.h>

#include "sinsp/filter/terms.h"
#include "util/buf.h"

/* What of a value is looked up. */
enum index_part {
	INDEX_NUMBER,
	INDEX_TEXT,
	INDEX_ADDRESS,
	INDEX_PREFIX, /* this and the next: a part of a text */
	INDEX_SUFFIX,
	INDEX_ANYWHERE,
};

/* The two lengths of INDEX_ANYWHERE, in bytes; the others have multiples of the shorter one. */
enum { INDEX_ANYWHERE_SHORT = 4, INDEX_ANYWHERE_LONG = 8 };

struct index_key {
	struct filter_side *side;
	enum index_part part;
	uint32_t length; /* of a part of a text, in bytes */
	uint32_t hash;
	uint32_t choice; /* index in the list */
};

static inline uint32_t index_hash_number(uint64_t number)
{
	return (uint32_t)((number * 0x9e3779b97f4a7c15u) >> 32);
}

/* Eight bytes at a time; the last word overlaps the one before it. */
static inline uint32_t index_hash_text(const char *data, size_t len)
{
	uint64_t hash = len, word = 0;

	if (len < sizeof(word)) {
		for (size_t i = 0; i < len; i++)
			word = word << 8 | (unsigned char)data[i];
		return index_hash_number(hash << 56 ^ word);
	}
	for (size_t i = 0; i < len; i += sizeof(word)) {
		memcpy(&word, data + (i + sizeof(word) <= len ? i : len - sizeof(word)),
		       sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	return index_hash_number(hash);
}

/* Of INDEX_ANYWHERE: of the last part. Returns false if the value is too short. */
static inline bool index_key_hash(const struct field_value *value, enum index_part part,
				  uint32_t length, uint32_t *hash)
{
	const char *data = value->bytes.data;

	switch (part) {
	case INDEX_NUMBER:
		*hash = index_hash_number(value->u64);
		return true;
	case INDEX_ADDRESS:
		*hash = index_hash_text((const char *)value->ip.address, value->ip.len);
		return true;
	case INDEX_TEXT:
		*hash = index_hash_text(data, value->bytes.len);
		return true;
	default:
		if (value->bytes.len < length)
			return false;
		*hash = index_hash_text(
			part == INDEX_PREFIX ? data : data + value->bytes.len - length, length);
		return true;
	}
}

/*
 * Appends the keys of an expression, which is a choice of a list: each event that satisfies it has
 * one of them. uses: by term, in how many choices it is. Returns false, with the length of `keys`
 * as before, if there are none; keys->failed if out of memory.
 */
bool index_keys_of(const struct filter_terms *terms, const struct filter_list *list,
		   const uint32_t *uses, uint32_t choice, struct buf *keys);

#endif
