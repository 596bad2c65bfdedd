/* SPDX-License-Identifier: MIT */
/*
 * Which checks of an expression are its keys: of several that must be true, the one that the fewest
 * others have; of alternatives, all. And the tables of these keys.
 */
#include "sinsp/filter/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

enum {
	CONSTANTS_MAX = 64, /* of a check that is a key */
	PART_MAX = 32, /* bytes of a prefix or suffix */
	VISITS_MAX = 1000, /* of terms, to find the key of an expression */
};

struct chooser {
	const struct filter_terms *terms;
	const struct filter_list *list;
	const uint32_t *uses;
	uint32_t choice;
	unsigned int visits; /* left */
	struct buf *keys;
};

/* The part of a field by which equality with a constant is looked up. */
static bool part_of_type(enum param_type type, enum index_part *part)
{
	switch (type) {
	case PT_CHARBUF:
	case PT_FSPATH:
	case PT_FSRELPATH:
	case PT_BYTEBUF:
		*part = INDEX_TEXT;
		return true;
	case PT_IPADDR:
		*part = INDEX_ADDRESS;
		return true;
	default:
		*part = INDEX_NUMBER;
		return type != PT_DOUBLE && param_type_size(type);
	}
}

/* The operators beside `=` and `in`, and what of the value must be equal. */
static const struct {
	enum filter_op op;
	enum index_part part;
} keys_of_text[] = {
	{FILTER_STARTSWITH, INDEX_PREFIX},
	{FILTER_ENDSWITH, INDEX_SUFFIX},
	{FILTER_CONTAINS, INDEX_ANYWHERE},
};

static bool has_short_constant(const struct filter_check *check)
{
	for (uint32_t i = 0; i < check->nconstants; i++)
		if (check->constants[i].value.bytes.len < INDEX_ANYWHERE_SHORT)
			return true;
	return false;
}

/* Whether the check is true only if the value of its field has one of its constants as this part.
 */
static bool index_is_key(const struct filter_check *check, enum index_part *part)
{
	const struct filter_operand *left = &check->left->operand;

	if ((check->test != filter_test_value && check->test != filter_test_values) ||
	    check->negated || !left->field || left->list || check->nconstants > CONSTANTS_MAX ||
	    !part_of_type(left->type, part))
		return false;
	if (check->compare == filter_compare_of(left->type, FILTER_EQ))
		return true;
	if (*part != INDEX_TEXT || has_short_constant(check))
		return false;
	for (size_t i = 0; i < COUNT(keys_of_text); i++) {
		*part = keys_of_text[i].part;
		if (check->op == keys_of_text[i].op &&
		    check->compare == filter_compare_of(left->type, check->op))
			return true;
	}
	return false;
}

/* How many bytes of a constant are looked up; 0: all. */
static uint32_t length_of(const struct field_value *constant, enum index_part part)
{
	size_t most = part == INDEX_ANYWHERE ? INDEX_ANYWHERE_LONG : PART_MAX;
	size_t length = constant->bytes.len < most ? constant->bytes.len : most;

	return part < INDEX_PREFIX ? 0 : (uint32_t)(length - length % INDEX_ANYWHERE_SHORT);
}

enum { NEVER = UINT32_MAX };

/* What the key of an expression costs: how often it is shared; NEVER: it has none. */
static uint32_t cost_of(struct chooser *chooser, uint32_t ref)
{
	const struct filter_term *term = filter_term_of(chooser->terms, ref);
	bool is_or = filter_term_is_negated(ref);
	uint32_t cost = is_or ? 0 : NEVER;
	enum index_part part;

	if (!chooser->visits)
		return NEVER;
	chooser->visits--;
	if (term->check) {
		uint32_t uses = chooser->uses[ref / 2];

		return is_or || 2 * uses > chooser->list->count || !index_is_key(term->check, &part)
			       ? NEVER
			       : uses;
	}
	for (uint32_t i = 0; i < term->nparts; i++) {
		uint32_t of_part = cost_of(chooser, term->parts[i] ^ is_or);

		if (is_or && of_part == NEVER)
			return NEVER;
		if (is_or)
			cost += of_part;
		else if (of_part < cost)
			cost = of_part;
	}
	return cost;
}

static void index_add_keys(struct chooser *chooser, const struct filter_check *check)
{
	struct index_key key = {.side = check->left, .choice = chooser->choice};

	index_is_key(check, &key.part);
	for (uint32_t i = 0; i < check->nconstants; i++) {
		const struct field_value *value = &check->constants[i].value;

		key.length = length_of(value, key.part);
		index_key_hash(value, key.part, key.length, &key.hash);
		buf_append(chooser->keys, &key, sizeof(key));
	}
}

/* Returns whether each event that satisfies `ref` has one of the keys that were added. */
static bool choose_keys(struct chooser *chooser, uint32_t ref)
{
	const struct filter_term *term = filter_term_of(chooser->terms, ref);
	uint32_t best = FILTER_TRUE, least = NEVER;

	if (term->check) {
		if (cost_of(chooser, ref) == NEVER)
			return false;
		index_add_keys(chooser, term->check);
		return true;
	}
	for (uint32_t i = 0; i < term->nparts; i++) {
		uint32_t cost;

		if (filter_term_is_negated(ref)) {
			if (!choose_keys(chooser, term->parts[i] ^ 1))
				return false;
			continue;
		}
		cost = cost_of(chooser, term->parts[i]);
		if (cost < least) {
			least = cost;
			best = term->parts[i];
		}
	}
	return filter_term_is_negated(ref) || (least != NEVER && choose_keys(chooser, best));
}

bool index_keys_of(const struct filter_terms *terms, const struct filter_list *list,
		   const uint32_t *uses, uint32_t choice, struct buf *keys)
{
	struct chooser chooser = {terms, list, uses, choice, VISITS_MAX, keys};
	size_t before = keys->len;

	if (choose_keys(&chooser, list->choices[choice].entry))
		return true;
	keys->len = before;
	return false;
}

/*
 * Makes the tables of keys. The keys of all expressions about the same field are in one
 * table, of hashes alone: a candidate is evaluated as a whole, so that one too many costs time and
 * nothing else. Expressions without a key are always candidates.
 */

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
static int index_fill(struct arena *arena, struct index_table *table, const struct index_key *keys,
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
			if (index_fill(arena, &index->tables[index->ntables++], keys + i, of_table))
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

static int index_make(struct maker *maker)
{
	struct arena *arena = &maker->filter->arena;
	size_t words = filter_index_words(maker->list->count), n;
	struct filter_index draft = {.words = words};
	struct filter_index *index;
	struct index_key *keys;
	int r;

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
	r = make_tables(index, arena, keys, n);
	if (index->ntables)
		maker->list->index = index;
	return r;
}

int filter_index_make(struct filter *filter, struct filter_terms *terms, struct filter_list *list)
{
	struct maker maker = {.filter = filter, .terms = terms, .list = list};
	int r = list->count < CHOICES_MIN ? 0 : index_make(&maker);

	free(maker.uses);
	buf_finish(&maker.keys);
	return r;
}
