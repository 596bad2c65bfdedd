/* SPDX-License-Identifier: MIT */
/*
 * Makes the tables of keys. The keys of all expressions about the same field are in one
 * table, of hashes alone: a candidate is evaluated as a whole, so that one too many costs time and
 * nothing else. Expressions without a key are always candidates.
 */
#include "sinsp/filter/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Less in a list, or about a field, are evaluated faster than looked up. */
enum { CHOICES_MIN = 8 };

struct maker {
	struct filter *filter;
	struct filter_terms *terms;
	struct filter_list *list;
	uint32_t *uses; /* owned; by term: how many choices contain it */
	struct buf keys; /* of struct index_key */
};

static void count_uses(struct maker *maker, uint32_t ref, uint32_t mark)
{
	struct filter_term *term = filter_term_of(maker->terms, ref);

	if (term->mark[0] == mark)
		return;
	term->mark[0] = mark;
	maker->uses[ref / 2]++;
	for (uint32_t i = 0; i < term->nparts; i++)
		count_uses(maker, term->parts[i], mark);
}

static int by_number(uintptr_t a, uintptr_t b)
{
	return (a > b) - (a < b);
}

/* 0: of the same table. */
static int compare_tables(const struct index_key *a, const struct index_key *b)
{
	if (a->side != b->side)
		return by_number((uintptr_t)a->side, (uintptr_t)b->side);
	return a->part != b->part ? by_number(a->part, b->part) : by_number(a->length, b->length);
}

static int compare_keys(const void *a, const void *b)
{
	const struct index_key *x = a, *y = b;
	int order = compare_tables(x, y);

	return order ? order : by_number(x->hash, y->hash);
}

/* A table of `n` keys. Returns 0 or -ENOMEM. */
static int fill(struct arena *arena, struct index_table *table, const struct index_key *keys,
		size_t n)
{
	unsigned int bits = 4;
	uint32_t bucket = 0;

	while (((size_t)1 << bits) < 2 * n)
		bits++;
	*table = (struct index_table){
		.side = keys->side,
		.part = keys->part,
		.length = keys->length,
		.shift = 32 - bits,
	};
	table->starts = arena_alloc(arena, (((size_t)1 << bits) + 1) * sizeof(table->starts[0]));
	table->entries = arena_alloc(arena, n * sizeof(table->entries[0]));
	if (!table->starts || !table->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		table->entries[i] = (struct index_entry){keys[i].hash, keys[i].choice};
		while (bucket < keys[i].hash >> table->shift)
			table->starts[++bucket] = i;
	}
	while (bucket < (uint32_t)1 << bits)
		table->starts[++bucket] = (uint32_t)n;
	return 0;
}

static size_t table_length(const struct index_key *keys, size_t n)
{
	size_t length = 1;

	while (length < n && compare_tables(&keys[0], &keys[length]) == 0)
		length++;
	return length;
}

static size_t side_length(const struct index_key *keys, size_t n)
{
	size_t length = 1;

	while (length < n && keys[length].side == keys->side)
		length++;
	return length;
}

static void set_always(struct filter_index *index, uint32_t choice)
{
	index->always[choice / FILTER_WORD_BITS] |= (uint64_t)1 << choice % FILTER_WORD_BITS;
}

/* The tables of all keys, which are sorted. Returns 0 or -ENOMEM. */
static int make_tables(struct filter_index *index, struct arena *arena,
		       const struct index_key *keys, size_t n)
{
	size_t of_side, of_table;

	for (; n > 0; keys += of_side, n -= of_side) {
		of_side = side_length(keys, n);
		for (size_t i = 0; i < of_side && of_side < CHOICES_MIN; i++)
			set_always(index, keys[i].choice);
		for (size_t i = 0; i < of_side && of_side >= CHOICES_MIN; i += of_table) {
			of_table = table_length(keys + i, of_side - i);
			if (fill(arena, &index->tables[index->ntables++], keys + i, of_table))
				return -ENOMEM;
		}
	}
	return 0;
}

/* What was asked of the past before must be asked for each event, as long as it depends on that. */
static bool is_skippable(const struct maker *maker, const struct filter_choice *choice)
{
	return !(maker->filter->items[choice->item].flags & FIELD_OF_PAST);
}

static void make_keys(struct maker *maker, struct filter_index *index)
{
	const struct filter_list *list = maker->list;

	for (uint32_t i = 0; i < list->count; i++)
		count_uses(maker, list->choices[i].entry, filter_terms_mark(maker->terms));
	for (uint32_t i = 0; i < list->count; i++) {
		if (!is_skippable(maker, &list->choices[i]) ||
		    !index_keys_of(maker->terms, list, maker->uses, i, &maker->keys))
			set_always(index, i);
	}
}

static size_t count_tables(const struct index_key *keys, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i += table_length(keys + i, n - i))
		count++;
	return count;
}

static int make(struct maker *maker)
{
	struct arena *arena = &maker->filter->arena;
	size_t words = filter_index_words(maker->list->count), n;
	struct filter_index draft = {.words = words};
	struct filter_index *index;
	struct index_key *keys;
	int rc;

	draft.always = arena_alloc(arena, words * sizeof(draft.always[0]));
	maker->uses = calloc(maker->terms->count, sizeof(maker->uses[0]));
	if (!maker->uses || !draft.always)
		return -ENOMEM;
	make_keys(maker, &draft);
	keys = (struct index_key *)maker->keys.data;
	n = maker->keys.len / sizeof(*keys);
	if (maker->keys.failed || n == 0)
		return maker->keys.failed ? -ENOMEM : 0;
	qsort(keys, n, sizeof(*keys), compare_keys);
	index = arena_alloc(arena,
			    sizeof(*index) + count_tables(keys, n) * sizeof(struct index_table));
	if (!index)
		return -ENOMEM;
	*index = draft;
	rc = make_tables(index, arena, keys, n);
	if (index->ntables)
		maker->list->index = index;
	return rc;
}

int filter_index_make(struct filter *filter, struct filter_terms *terms, struct filter_list *list)
{
	struct maker maker = {.filter = filter, .terms = terms, .list = list};
	int rc = list->count < CHOICES_MIN ? 0 : make(&maker);

	free(maker.uses);
	buf_finish(&maker.keys);
	return rc;
}
