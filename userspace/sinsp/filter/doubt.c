/* SPDX-License-Identifier: MIT */
/*
 * Evaluates expressions again for an event with a value that is not whole: each comparison has one
 * answer or both, and with both the code goes on at both of its jumps. Only such events come here.
 */
#include "sinsp/filter/doubt.h"

#include <string.h>

#include "sinsp/filter/group.h"
#include "sinsp/filter/index.h"

enum {
	DEPTH_MAX = 2000, /* of unknown comparisons that follow from each other: of more, all is
			     unknown */
	ANCESTORS_MAX = 256, /* as filter_test_ancestors() */
};

/* An answer of which one of two is enough, and one that needs both. */
static unsigned int either(unsigned int a, unsigned int b)
{
	return ((a | b) & DOUBT_YES) | (a & b & DOUBT_NO);
}

static unsigned int both(unsigned int a, unsigned int b)
{
	return (a & b & DOUBT_YES) | ((a | b) & DOUBT_NO);
}

static unsigned int opposite(unsigned int a)
{
	return (a & DOUBT_YES ? DOUBT_NO : 0) | (a & DOUBT_NO ? DOUBT_YES : 0);
}

static unsigned int answer(bool yes)
{
	return yes ? DOUBT_YES : DOUBT_NO;
}

/* As satisfies() of eval.c. */
static unsigned int satisfies(struct filter *filter, const struct filter_check *check,
			      const struct field_value *values, int n,
			      const struct filter_constant *constant, unsigned int cut)
{
	unsigned int any = DOUBT_NO;

	for (int i = 0; i < n; i++)
		any = either(any, filter_doubt_compare(filter, check, &values[i], constant, cut));
	return check->negated ? opposite(any) : any;
}

static unsigned int satisfies_constants(struct filter *filter, const struct filter_check *check,
					const struct field_value *values, int n, unsigned int cut)
{
	unsigned int any = DOUBT_NO, all = check->nconstants ? DOUBT_YES : DOUBT_NO, sure = 0;
	bool unknown = false;

	for (uint32_t i = 0; i < check->nconstants; i++) {
		unsigned int one = satisfies(filter, check, values, n, &check->constants[i], cut);

		any = either(any, one);
		all = both(all, one);
		sure += one == DOUBT_YES;
		unknown |= one == DOUBT_UNKNOWN;
	}
	if (check->quantifier == FILTER_ONE_OF)
		return unknown && sure < 2 ? DOUBT_UNKNOWN : answer(sure == 1);
	return check->quantifier == FILTER_ALL_OF ? all : any;
}

/* Whether filter_doubt_compare() knows what the missing part of a value means for the check. */
static bool is_of_text(const struct filter_check *check)
{
	const struct filter_operand *left = &check->left->operand;

	return left->field && !left->list && !param_type_size(left->type) && check->compare &&
	       check->compare == filter_compare_of(left->type, check->op);
}

static unsigned int doubt_ancestors(struct filter *filter, const struct filter_check *check,
				    const struct sinsp_event *event)
{
	const struct field_value *values;
	unsigned int any = DOUBT_NO;

	for (int32_t i = 1; i <= ANCESTORS_MAX && any != DOUBT_YES; i++) {
		check->left->operand.field->index = i;
		filter->scratch.cut = 0;
		if (filter_side_values(filter, check->left, event, &values) < 0)
			break;
		any = either(any,
			     satisfies_constants(filter, check, values, 1, filter->scratch.cut));
	}
	return any;
}

static unsigned int doubt_check(struct filter *filter, const struct filter_check *check,
				const struct sinsp_event *event)
{
	const struct field_value *values;
	bool yes;
	int n;

	filter->scratch.cut = 0;
	yes = check->test(filter, check, event);
	if (!filter->scratch.cut || check->op == FILTER_EXISTS)
		return answer(yes);
	if (!is_of_text(check))
		return DOUBT_UNKNOWN;
	if (check->test == filter_test_ancestors)
		return doubt_ancestors(filter, check, event);
	if (check->test != filter_test_value && check->test != filter_test_values)
		return DOUBT_UNKNOWN;
	n = filter_side_values(filter, check->left, event, &values);
	return n > 0 ? satisfies_constants(filter, check, values, n, filter->scratch.cut)
		     : DOUBT_NO;
}

static unsigned int possible(struct filter *filter, uint32_t at, const struct sinsp_event *event,
			     unsigned int depth);

/* The answers of a check, or of a part that has code of its own. */
static unsigned int ask(struct filter *filter, const struct filter_jump *jump,
			const struct sinsp_event *event, unsigned int depth)
{
	struct filter_memo *memo = jump->memo;
	unsigned int answers;

	if (memo && memo->doubt_event == filter->event)
		return memo->doubt;
	answers = jump->test ? doubt_check(filter, jump->check, event)
			     : possible(filter, memo->entry, event, depth + 1);
	if (memo) {
		memo->doubt = (uint8_t)answers;
		memo->doubt_event = filter->event;
	}
	return answers;
}

/* What the code from a jump on can end with. */
static unsigned int possible(struct filter *filter, uint32_t at, const struct sinsp_event *event,
			     unsigned int depth)
{
	while (at < FILTER_FAIL) {
		const struct filter_jump *jump = &filter->code[at];
		unsigned int answers;

		if (filter->doubts[at])
			return filter->doubts[at];
		if (depth >= DEPTH_MAX)
			return DOUBT_UNKNOWN;
		answers = ask(filter, jump, event, depth);
		if (answers == DOUBT_UNKNOWN) {
			answers = possible(filter, jump->on_true, event, depth + 1);
			if (answers != DOUBT_UNKNOWN)
				answers |= possible(filter, jump->on_false, event, depth + 1);
			filter->doubts[at] = (uint8_t)answers;
			return answers;
		}
		at = answers == DOUBT_YES ? jump->on_true : jump->on_false;
	}
	return answer(at == FILTER_PASS);
}

static bool is_candidate(const struct filter *filter, const struct filter_list *list, size_t i)
{
	return !list->index ||
	       (filter->candidates[i / FILTER_WORD_BITS] >> i % FILTER_WORD_BITS & 1);
}

size_t filter_doubt_next(struct filter *filter, const struct filter_list *list,
			 const struct sinsp_event *event, size_t from)
{
	size_t at = (size_t)(filter_list_find(list, from) - list->choices);
	unsigned int answers = DOUBT_NO, cut = filter->scratch.cut;

	memset(filter->doubts, 0, filter->njumps);
	for (; at < list->count; at++) {
		if (!is_candidate(filter, list, at))
			continue;
		answers = possible(filter, list->choices[at].entry, event, 0);
		if (answers & DOUBT_YES)
			break;
	}
	filter->scratch.cut = cut; /* for the items after this one */
	filter->is_unknown = answers == DOUBT_UNKNOWN;
	return at < list->count ? list->choices[at].item : FILTER_NONE;
}
