/* SPDX-License-Identifier: MIT */
/*
 * An index of a list: the few of its many expressions that an event can satisfy, found by look-ups
 * of the keys that they require.
 */
#ifndef SINSP_FILTER_INDEX_H
#define SINSP_FILTER_INDEX_H

#include <string.h>

#include "sinsp/filter/terms.h"
#include "util/buf.h"

/*
 * The keys of the expressions of a list: what each requires of a field, such as `proc.name in (a,
 * b)` or `fd.name startswith /x`. Keys are compared by hash alone.
 */

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

/* All of up to seven bytes in one word, some of them twice. */
static inline uint64_t index_short_word(const char *data, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)data;
	uint32_t first, last;

	if (len >= sizeof(first)) {
		memcpy(&first, data, sizeof(first));
		memcpy(&last, data + len - sizeof(last), sizeof(last));
		return (uint64_t)first << 32 | last;
	}
	return len ? (uint64_t)bytes[0] << 16 | (uint64_t)bytes[len / 2] << 8 | bytes[len - 1] : 0;
}

/* Eight bytes at a time; the last word overlaps the one before it. */
static inline uint32_t index_hash_text(const char *data, size_t len)
{
	uint64_t hash = len, word;

	if (len < sizeof(word))
		return index_hash_number(hash << 56 ^ index_short_word(data, len));
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

/*
 * An index of a list: the few of its many expressions that an event can satisfy, found by look-ups
 * of the values of fields instead of one expression after the other.
 */

/* All keys about the same part of the same field, sorted by hash. */
struct index_table {
	struct filter_side *side;
	enum index_part part;
	uint32_t length; /* of a part of a text, in bytes */
	unsigned int shift; /* hash >> shift is the number of a bucket */
	uint32_t *starts; /* of buckets in entries[], and the end of the last */
	struct index_entry {
		uint32_t hash, choice;
	} * entries;
};

struct filter_index {
	uint64_t *always; /* bits of the choices without keys */
	size_t words; /* of these */
	uint32_t ntables;
	struct index_table tables[]; /* those of the same field follow one another */
};

enum { FILTER_WORD_BITS = 64 };

/* The words of filter->candidates for so many choices: one bit more, for the end. */
static inline size_t filter_index_words(size_t choices)
{
	return choices / FILTER_WORD_BITS + 1;
}

/*
 * Makes the index of a list, while the entries of its choices are still references to terms;
 * list->index remains NULL where none would save time. Returns 0 or -ENOMEM.
 */
int filter_index_make(struct filter *filter, struct filter_terms *terms, struct filter_list *list);

__attribute__((always_inline)) static inline void index_mark(const struct index_table *table,
							     uint32_t hash, uint64_t *candidates)
{
	const uint32_t *start = &table->starts[hash >> table->shift];

	for (uint32_t i = start[0]; i < start[1]; i++) {
		uint32_t choice = table->entries[i].choice;

		if (table->entries[i].hash == hash)
			candidates[choice / FILTER_WORD_BITS] |= (uint64_t)1
								 << choice % FILTER_WORD_BITS;
	}
}

/* INDEX_ANYWHERE has one of two lengths; each has a loop of its own. */
__attribute__((always_inline)) static inline void
index_mark_anywhere(const struct index_table *table, const struct field_value *value,
		    uint32_t length, uint64_t *candidates)
{
	for (size_t i = 0; i + length <= value->bytes.len; i++)
		index_mark(table, index_hash_text(value->bytes.data + i, length), candidates);
}

/* Sets the bits of the choices that have a key of this value. */
static inline void filter_index_look_up(const struct index_table *table,
					const struct field_value *value, uint64_t *candidates)
{
	uint32_t hash;

	if (table->part == INDEX_ANYWHERE && table->length == INDEX_ANYWHERE_SHORT)
		index_mark_anywhere(table, value, INDEX_ANYWHERE_SHORT, candidates);
	else if (table->part == INDEX_ANYWHERE)
		index_mark_anywhere(table, value, INDEX_ANYWHERE_LONG, candidates);
	else if (index_key_hash(value, table->part, table->length, &hash))
		index_mark(table, hash, candidates);
}

#endif
