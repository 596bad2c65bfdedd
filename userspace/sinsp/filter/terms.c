/* SPDX-License-Identifier: MIT */
/* Terms, each stored once and simplified for types of events; from terms to jumps. */
#include "sinsp/filter/terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Terms: each stored once, and simplified for types of events. */

/*
 * Terms specialised for a type are worth their memory unless there are too many; above this number
 * the type is tested for each event instead.
 */
enum { SPECIAL_PARTS_MAX = 1 << 20 };

/* Room for one more element in an array that doubles. */
static bool terms_reserve(void **array, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity ? 2 * *capacity : 64;
	void *moved;

	if (count < *capacity)
		return true;
	moved = reallocarray(*array, larger, size);
	if (!moved)
		return false;
	*array = moved;
	*capacity = larger;
	return true;
}

int filter_terms_init(struct filter_terms *terms)
{
	uint32_t ref;

	*terms = (struct filter_terms){0};
	terms->by_parts.arena = &terms->arena;
	/* The empty conjunction is true: the first term. */
	return filter_terms_add(terms, &(struct filter_term){0}, &ref);
}

void filter_terms_finish(struct filter_terms *terms)
{
	intern_finish(&terms->by_parts);
	free(terms->terms);
	free(terms->stack);
	arena_finish(&terms->arena);
}

int filter_terms_add(struct filter_terms *terms, const struct filter_term *term, uint32_t *ref)
{
	struct filter_term *made;

	if (!terms_reserve((void **)&terms->terms, terms->count, &terms->capacity, sizeof(*made)))
		return -ENOMEM;
	made = &terms->terms[terms->count];
	*made = *term;
	made->entry[0] = made->entry[1] = FILTER_NO_ENTRY;
	*ref = 2 * (uint32_t)terms->count++;
	return 0;
}

int filter_terms_push(struct filter_terms *terms, uint32_t ref)
{
	if (!terms_reserve((void **)&terms->stack, terms->depth, &terms->stack_capacity,
			   sizeof(terms->stack[0])))
		return -ENOMEM;
	terms->stack[terms->depth++] = ref;
	return 0;
}

/* Removes true terms and duplicates. Returns the number of the remaining terms. */
static size_t tidy(struct filter_terms *terms, uint32_t *parts, size_t n)
{
	uint32_t mark = filter_terms_mark(terms);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t *seen = filter_term_of(terms, parts[i])->mark + (parts[i] & 1);

		if (parts[i] == FILTER_FALSE) {
			parts[0] = FILTER_FALSE;
			return 1;
		}
		if (parts[i] != FILTER_TRUE && *seen != mark)
			parts[kept++] = parts[i];
		*seen = mark;
	}
	return kept;
}

static int add_conjunction(struct filter_terms *terms, const uint32_t *parts, size_t n,
			   uint32_t *ref)
{
	struct filter_term term = {.nparts = (uint32_t)n};
	uint32_t *copy = arena_alloc(&terms->arena, n * sizeof(parts[0]));

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct filter_term *part = filter_term_of(terms, parts[i]);

		copy[i] = parts[i];
		term.typed |= part->typed;
		if (part->height >= term.height)
			term.height = part->height + 1;
	}
	term.parts = copy;
	terms->nparts += n;
	return filter_terms_add(terms, &term, ref);
}

int filter_terms_join(struct filter_terms *terms, size_t base, uint32_t *ref)
{
	uint32_t *parts = terms->stack + base;
	size_t n = terms->depth > base ? tidy(terms, parts, terms->depth - base) : 0;
	uint32_t *known;
	int r = 0;

	terms->depth = base;
	if (n < 2) {
		*ref = n ? parts[0] : FILTER_TRUE;
		return 0;
	}
	known = intern(&terms->by_parts, parts, n * sizeof(parts[0]));
	if (!known)
		return -ENOMEM;
	if (!*known)
		r = add_conjunction(terms, parts, n, known);
	if (r == 0)
		*ref = *known;
	return r;
}

static int specialise_parts(struct filter_terms *terms, const uint32_t *parts, size_t n,
			    unsigned int type, uint32_t mark, uint32_t *result)
{
	size_t base = terms->depth;

	for (size_t i = 0; i < n; i++) {
		uint32_t part;
		int r = filter_terms_specialise(terms, parts[i], type, mark, &part);

		if (r == 0)
			r = filter_terms_push(terms, part);
		if (r)
			return r;
		if (part == FILTER_FALSE)
			break;
	}
	return filter_terms_join(terms, base, result);
}

int filter_terms_specialise(struct filter_terms *terms, uint32_t ref, unsigned int type,
			    uint32_t mark, uint32_t *result)
{
	static const uint32_t by_answer[] = {FILTER_FALSE, FILTER_TRUE};
	const struct filter_term *term = filter_term_of(terms, ref);
	uint32_t special = ref & ~1u;
	int r = 0;

	if (!term->typed || (terms->nparts > SPECIAL_PARTS_MAX && !term->check)) {
		*result = ref;
		return 0;
	}
	if (term->special_of == mark)
		special = term->special;
	else if (!term->check)
		r = specialise_parts(terms, term->parts, term->nparts, type, mark, &special);
	else if (term->answers[type] != FILTER_ANSWER_OPEN)
		special = by_answer[term->answers[type]];
	if (r)
		return r;
	filter_term_of(terms, ref)->special = special;
	filter_term_of(terms, ref)->special_of = mark;
	*result = special ^ (ref & 1);
	return 0;
}

/*
 * From terms to jumps. `and`, `or` and `not` only determine the targets of each check. Targets must
 * be known before a part is generated, so the last part comes first.
 */

enum {
	/* The maximum number of copies of a term in the code; further uses call it. */
	COPIES_MAX = 16,
};

struct coder {
	struct filter *filter;
	struct filter_terms *terms;
	bool failed; /* out of memory */
};

static void terms_share(struct filter_terms *terms, uint32_t ref, uint32_t mark)
{
	struct filter_term *term = filter_term_of(terms, ref);

	if (term->mark[0] == mark) {
		term->shared = true;
		return;
	}
	term->mark[0] = mark;
	for (uint32_t i = 0; i < term->nparts; i++)
		terms_share(terms, term->parts[i], mark);
}

void filter_code_share(struct filter_terms *terms, const struct filter_list *list)
{
	uint32_t mark = filter_terms_mark(terms);

	for (uint32_t i = 0; i < list->count; i++)
		terms_share(terms, list->choices[i].entry, mark);
}

static uint32_t add_jump(struct coder *coder, const struct filter_jump *jump)
{
	struct filter *filter = coder->filter;

	if (filter->njumps == filter->jumps_capacity) {
		size_t capacity = filter->jumps_capacity ? 2 * filter->jumps_capacity : 16;
		void *moved = reallocarray(filter->code, capacity, sizeof(filter->code[0]));

		if (!moved) {
			coder->failed = true;
			return FILTER_FAIL;
		}
		filter->code = moved;
		filter->jumps_capacity = capacity;
	}
	filter->code[filter->njumps] = *jump;
	return (uint32_t)filter->njumps++;
}

static uint32_t code(struct coder *coder, uint32_t ref, uint32_t on_true, uint32_t on_false);

/* If true, each part continues at the next one. */
static uint32_t code_parts(struct coder *coder, const struct filter_term *term, uint32_t on_true,
			   uint32_t on_false)
{
	for (uint32_t i = term->nparts; i-- > 0;)
		on_true = code(coder, term->parts[i], on_true, on_false);
	return on_true;
}

/* The code of a memo is separate. */
static struct filter_memo *memo_of(struct coder *coder, struct filter_term *term)
{
	if (term->memo)
		return term->memo;
	term->memo = arena_alloc(&coder->filter->arena, sizeof(*term->memo));
	if (!term->memo)
		coder->failed = true;
	else if (!term->check)
		term->memo->entry = code_parts(coder, term, FILTER_PASS, FILTER_FAIL);
	return term->memo;
}

static uint32_t code(struct coder *coder, uint32_t ref, uint32_t on_true, uint32_t on_false)
{
	struct filter_term *term = filter_term_of(coder->terms, ref);
	struct filter_jump jump = {.check = term->check, .on_true = on_true, .on_false = on_false};
	bool in_place = !term->shared && term->copies < COPIES_MAX;

	if (ref == FILTER_TRUE || ref == FILTER_FALSE)
		return ref == FILTER_TRUE ? on_true : on_false;
	if (filter_term_is_negated(ref)) {
		jump.on_true = on_false;
		jump.on_false = on_true;
	}
	if (in_place && !term->check) {
		term->copies++;
		return code_parts(coder, term, jump.on_true, jump.on_false);
	}
	if (term->check)
		jump.test = term->check->test;
	if (term->shared || !term->check)
		jump.memo = memo_of(coder, term);
	return add_jump(coder, &jump);
}

int filter_code_add(struct filter *filter, struct filter_terms *terms, uint32_t ref,
		    uint32_t *entry)
{
	struct coder coder = {filter, terms, false};
	uint32_t *known = &filter_term_of(terms, ref)->entry[ref & 1];

	if (*known == FILTER_NO_ENTRY)
		*known = code(&coder, ref, FILTER_PASS, FILTER_FAIL);
	*entry = *known;
	return coder.failed ? -ENOMEM : 0;
}
