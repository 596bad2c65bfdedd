/* SPDX-License-Identifier: MIT */
/*
 * Which checks of an expression are its keys: of several that must be true, the one that the fewest
 * others have; of alternatives, all.
 */
#include "sinsp/filter/index_keys.h"

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
static bool is_key(const struct filter_check *check, enum index_part *part)
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
	for (size_t i = 0; i < sizeof(keys_of_text) / sizeof(keys_of_text[0]); i++) {
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

		return is_or || 2 * uses > chooser->list->count || !is_key(term->check, &part)
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

static void add_keys(struct chooser *chooser, const struct filter_check *check)
{
	struct index_key key = {.side = check->left, .choice = chooser->choice};

	is_key(check, &key.part);
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
		add_keys(chooser, term->check);
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
