/* SPDX-License-Identifier: MIT */
/*
 * From terms to jumps. `and`, `or` and `not` only determine the targets of each check. Targets must
 * be known before a part is generated, so the last part comes first.
 */
#include "sinsp/filter/code.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* The maximum number of copies of a term in the code; further uses call it. */
	COPIES_MAX = 16,
};

struct coder {
	struct filter *filter;
	struct filter_terms *terms;
	bool failed; /* out of memory */
};

static void share(struct filter_terms *terms, uint32_t ref, uint32_t mark)
{
	struct filter_term *term = filter_term_of(terms, ref);

	if (term->mark[0] == mark) {
		term->shared = true;
		return;
	}
	term->mark[0] = mark;
	for (uint32_t i = 0; i < term->nparts; i++)
		share(terms, term->parts[i], mark);
}

void filter_code_share(struct filter_terms *terms, const struct filter_list *list)
{
	uint32_t mark = filter_terms_mark(terms);

	for (uint32_t i = 0; i < list->count; i++)
		share(terms, list->choices[i].entry, mark);
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
