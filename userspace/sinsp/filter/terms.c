/* SPDX-License-Identifier: MIT */
/* Terms: each stored once, and simplified for types of events. */
#include "sinsp/filter/terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Terms specialised for a type are worth their memory unless there are too many; above this number
 * the type is tested for each event instead.
 */
enum { SPECIAL_PARTS_MAX = 1 << 20 };

/* Room for one more element in an array that doubles. */
static bool reserve(void **array, size_t count, size_t *capacity, size_t size)
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

	if (!reserve((void **)&terms->terms, terms->count, &terms->capacity, sizeof(*made)))
		return -ENOMEM;
	made = &terms->terms[terms->count];
	*made = *term;
	made->entry[0] = made->entry[1] = FILTER_NO_ENTRY;
	*ref = 2 * (uint32_t)terms->count++;
	return 0;
}

int filter_terms_push(struct filter_terms *terms, uint32_t ref)
{
	if (!reserve((void **)&terms->stack, terms->depth, &terms->stack_capacity,
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
	int rc = 0;

	terms->depth = base;
	if (n < 2) {
		*ref = n ? parts[0] : FILTER_TRUE;
		return 0;
	}
	known = intern(&terms->by_parts, parts, n * sizeof(parts[0]));
	if (!known)
		return -ENOMEM;
	if (!*known)
		rc = add_conjunction(terms, parts, n, known);
	if (rc == 0)
		*ref = *known;
	return rc;
}

static int specialise_parts(struct filter_terms *terms, const uint32_t *parts, size_t n,
			    unsigned int type, uint32_t mark, uint32_t *result)
{
	size_t base = terms->depth;

	for (size_t i = 0; i < n; i++) {
		uint32_t part;
		int rc = filter_terms_specialise(terms, parts[i], type, mark, &part);

		if (rc == 0)
			rc = filter_terms_push(terms, part);
		if (rc)
			return rc;
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
	int rc = 0;

	if (!term->typed || (terms->nparts > SPECIAL_PARTS_MAX && !term->check)) {
		*result = ref;
		return 0;
	}
	if (term->special_of == mark)
		special = term->special;
	else if (!term->check)
		rc = specialise_parts(terms, term->parts, term->nparts, type, mark, &special);
	else if (term->answers[type] != FILTER_ANSWER_OPEN)
		special = by_answer[term->answers[type]];
	if (rc)
		return rc;
	filter_term_of(terms, ref)->special = special;
	filter_term_of(terms, ref)->special_of = mark;
	*result = special ^ (ref & 1);
	return 0;
}
