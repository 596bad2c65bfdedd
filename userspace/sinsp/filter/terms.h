/* SPDX-License-Identifier: MIT */
/*
 * What filters consist of while they are compiled: terms, each of which is a check or the
 * conjunction of others. Equal terms are one, so that whatever expressions have in common shows.
 */
#ifndef SINSP_FILTER_TERMS_H
#define SINSP_FILTER_TERMS_H

#include "sinsp/filter/program.h"
#include "util/intern.h"

/*
 * A reference to a term: twice its index, plus 1 when it is negated. `or` is a negated conjunction
 * of negated terms.
 */
enum { FILTER_TRUE = 0, FILTER_FALSE = 1 };

/* What the type of an event says about a check. */
enum filter_answer { FILTER_ANSWER_NO, FILTER_ANSWER_YES, FILTER_ANSWER_OPEN };

struct filter_term {
	const struct filter_check *check; /* NULL: all parts must be true */
	const uint32_t *parts;
	uint32_t nparts;
	uint16_t height; /* of the tree below it */
	bool typed; /* something in it depends on the type of the event */
	const uint8_t *answers; /* of a typed check: enum filter_answer by type */
	/* Names the types with this answer, if the filter wants it; ANSWER_OPEN: it names none. */
	enum filter_answer names;
	bool shared; /* asked more than once for some type */
	uint8_t copies; /* how often it stands in the code */
	uint32_t entry[2]; /* as a whole expression: of its code, and of that of its negation */
	struct filter_memo *memo;
	uint32_t mark[2]; /* visited, and visited as negated: a number of filter_terms_mark() */
	uint32_t special, special_of; /* the same for the type with that mark */
};

struct filter_terms {
	struct arena arena; /* of what the compiled filter does not need */
	struct intern by_parts;
	struct filter_term *terms; /* owned, like the stack */
	size_t count, capacity;
	uint32_t *stack; /* references that will become the parts of a term */
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

/* The conjunction of what is on the stack from `base` on, which it takes away. */
int filter_terms_join(struct filter_terms *terms, size_t base, uint32_t *ref);

/* What a term becomes for events of a type; `mark` stands for that type. */
int filter_terms_specialise(struct filter_terms *terms, uint32_t ref, unsigned int type,
			    uint32_t mark, uint32_t *result);

static inline uint32_t filter_terms_mark(struct filter_terms *terms)
{
	return ++terms->marks;
}

#endif
