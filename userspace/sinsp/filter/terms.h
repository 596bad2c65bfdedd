/* SPDX-License-Identifier: MIT */
/*
 * Terms, the form of filters during compilation: each is a check or the conjunction of other terms.
 * Equal terms are stored once, so that common parts of expressions are found. And the code
 * that is made of them.
 */
#ifndef SINSP_FILTER_TERMS_H
#define SINSP_FILTER_TERMS_H

#include "sinsp/filter/intern.h"
#include "sinsp/filter/program.h"

/*
 * A reference to a term: twice its index, plus 1 if it is negated. `or` is a negated conjunction of
 * negated terms.
 */
enum { FILTER_TRUE = 0, FILTER_FALSE = 1 };

/* The result of a check as far as the type of the event decides it. */
enum filter_answer { FILTER_ANSWER_NO, FILTER_ANSWER_YES, FILTER_ANSWER_OPEN };

struct filter_term {
	const struct filter_check *check; /* NULL: all parts must be true */
	const uint32_t *parts;
	uint32_t nparts;
	uint16_t height; /* of its tree */
	bool typed; /* a part depends on the type of the event */
	const uint8_t *answers; /* of a typed check: enum filter_answer by type */
	/* Names the types with this answer, if the filter requires it; ANSWER_OPEN: names none. */
	enum filter_answer names;
	bool shared; /* needed more than once for some type */
	uint8_t copies; /* how often the code contains it */
	uint32_t entry[2]; /* of its code as a whole expression, and of its negation */
	struct filter_memo *memo;
	uint32_t mark[2]; /* visited, and visited as negated: a number of filter_terms_mark() */
	uint32_t special, special_of; /* the specialised term, and the mark of its type */
};

struct filter_terms {
	struct arena arena; /* for data that only compilation needs */
	struct intern by_parts;
	struct filter_term *terms; /* owned, like the stack */
	size_t count, capacity;
	uint32_t *stack; /* references to the parts of a term to be made */
	size_t depth, stack_capacity;
	size_t nparts; /* of all terms */
	uint32_t marks;
};

enum { FILTER_NO_ENTRY = UINT32_MAX - 2 };

int filter_terms_init(struct filter_terms *terms);
void filter_terms_finish(struct filter_terms *terms);

static inline struct filter_term *filter_term_of(const struct filter_terms *terms, uint32_t ref)
{
	return &terms->terms[ref / 2];
}

static inline bool filter_term_is_negated(uint32_t ref)
{
	return ref & 1;
}

/* A new term, unlike all others. Returns 0 or -ENOMEM, like all below. */
int filter_terms_add(struct filter_terms *terms, const struct filter_term *term, uint32_t *ref);

/* Puts a reference onto the stack. */
int filter_terms_push(struct filter_terms *terms, uint32_t ref);

/* Makes the conjunction of the references on the stack from `base` on, and removes them. */
int filter_terms_join(struct filter_terms *terms, size_t base, uint32_t *ref);

/* Specialises a term for events of a type; `mark` identifies the type. */
int filter_terms_specialise(struct filter_terms *terms, uint32_t ref, unsigned int type,
			    uint32_t mark, uint32_t *result);

static inline uint32_t filter_terms_mark(struct filter_terms *terms)
{
	return ++terms->marks;
}

/* The code of a filter, generated from terms once all lists are known. */

/*
 * Marks the terms that are evaluated more than once for an event of a list, whose entries are still
 * references to terms.
 */
void filter_code_share(struct filter_terms *terms, const struct filter_list *list);

/*
 * Appends the code of a whole expression, unless it exists already, and sets `*entry`. Returns 0 or
 * -ENOMEM.
 */
int filter_code_add(struct filter *filter, struct filter_terms *terms, uint32_t ref,
		    uint32_t *entry);

#endif
