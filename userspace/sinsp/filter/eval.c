/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of a filter for an event: one pass over the code of each expression that the type of
 * the event does not rule out. Nothing is allocated and nothing is looked up by name.
 */
#include <string.h>

#include "sinsp/filter/doubt.h"
#include "sinsp/filter/filter.h"
#include "sinsp/filter/index.h"

/* Longer chains of parents are truncated. */
enum { ANCESTORS_MAX = 256 };

/* HOT: runs for every event. COLD: not inlined into that path. */
#define HOT __attribute__((always_inline)) static inline
#define COLD __attribute__((noinline)) static

HOT bool eval_run(struct filter *filter, uint32_t at, const struct state_event *event);

/* Computes the result of a check, or of a part that has code of its own. */
COLD bool find_answer(struct filter *filter, const struct filter_jump *jump,
		      const struct state_event *event)
{
	struct filter_memo *memo = jump->memo;

	memo->answer = jump->test ? jump->test(filter, jump->check, event)
				  : eval_run(filter, memo->entry, event);
	memo->event = filter->event;
	return memo->answer;
}

HOT bool eval_ask(struct filter *filter, const struct filter_jump *jump,
		  const struct state_event *event)
{
	if (!jump->memo)
		return jump->test(filter, jump->check, event);
	if (jump->memo->event == filter->event)
		return jump->memo->answer;
	return find_answer(filter, jump, event);
}

HOT bool eval_run(struct filter *filter, uint32_t at, const struct state_event *event)
{
	while (at < FILTER_FAIL) {
		const struct filter_jump *jump = &filter->code[at];

		at = eval_ask(filter, jump, event) ? jump->on_true : jump->on_false;
	}
	return at == FILTER_PASS;
}

HOT const struct filter_list *eval_list_of(const struct filter *filter, const struct event *ev)
{
	unsigned int type = ev->desc->id;

	if (type == EVENT_syscall) {
		unsigned int r = event_syscall_code(ev);

		type = FILTER_TYPE_CODES + (r < SYSCALL_CODES_COUNT ? r : SC_unknown);
	}
	return filter->list_of_type[type];
}

/*
 * Drops the cached values if they use much of the scratch memory, which others need; they are
 * computed again when needed.
 */
COLD void drop_cached(struct filter *filter)
{
	for (struct filter_cached *cached = filter->cached; cached; cached = cached->next)
		cached->event = 0;
	filter->cached_bytes = 0;
}

COLD int eval_keep(struct filter *filter, const struct filter_side *side,
		   const struct state_event *event)
{
	const struct filter_operand *left = &side->operand;
	struct filter_cached *cached = side->cached;
	struct field_scratch *scratch = &filter->scratch;
	unsigned int others = scratch->cut;

	scratch->cut = 0;
	scratch->used = filter->cached_bytes;
	if (left->field) {
		cached->count = field_get(left->field, event, scratch, cached->values);
	} else {
		cached->count = operand_get(left, event, filter->regs, scratch);
		if (cached->count > 0)
			memcpy(cached->values, filter->regs[left->reg].values,
			       (size_t)cached->count * sizeof(cached->values[0]));
	}
	filter->cached_bytes = scratch->used;
	cached->event = filter->event;
	cached->cut = scratch->cut;
	scratch->cut |= others;
	if (filter->cached_bytes > sizeof(scratch->bytes) / 2)
		drop_cached(filter);
	return cached->count;
}

/*
 * The values of the left side, and how many, or -1. It comes first: the scratch memory of other
 * checks is free again, except for cached values.
 */
HOT int side_get(struct filter *filter, const struct filter_side *side,
		 const struct state_event *event, const struct field_value **values)
{
	const struct filter_operand *left = &side->operand;
	struct filter_cached *cached = side->cached;
	struct filter_register *reg = filter->regs;

	if (cached && cached->event != filter->event) {
		*values = cached->values;
		return eval_keep(filter, side, event);
	}
	filter->scratch.used = filter->cached_bytes;
	if (cached) {
		*values = cached->values;
		filter->scratch.cut |= cached->cut;
		return cached->count;
	}
	*values = reg->values;
	if (!left->field)
		return operand_get(left, event, filter->regs, &filter->scratch);
	reg->count = field_get(left->field, event, &filter->scratch, reg->values);
	return reg->count;
}

int filter_side_values(struct filter *filter, const struct filter_side *side,
		       const struct state_event *event, const struct field_value **values)
{
	return side_get(filter, side, event, values);
}

/* Sets the bits of all choices that have a key in the table. */
static void mark_all(const struct index_table *table, uint64_t *candidates)
{
	uint32_t n = table->starts[(uint32_t)1 << (32 - table->shift)];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t choice = table->entries[i].choice;

		candidates[choice / FILTER_WORD_BITS] |= (uint64_t)1 << choice % FILTER_WORD_BITS;
	}
}

/*
 * Sets the bits of the choices that the event may satisfy, and clears those of all others. A value
 * of which a part is missing may be that of any key.
 */
static void find_candidates(struct filter *filter, const struct filter_index *index,
			    const struct state_event *event)
{
	const struct filter_side *side = NULL;
	const struct field_value *values;
	unsigned int cut = 0;
	int n = 0;

	memcpy(filter->candidates, index->always, index->words * sizeof(index->always[0]));
	for (uint32_t i = 0; i < index->ntables; i++) {
		const struct index_table *table = &index->tables[i];

		if (table->side != side) {
			filter->scratch.cut = 0;
			n = side_get(filter, table->side, event, &values);
			cut = filter->scratch.cut;
		}
		side = table->side;
		if (cut)
			mark_all(table, filter->candidates);
		for (int j = 0; j < n && !cut; j++)
			filter_index_look_up(table, &values[j], filter->candidates);
	}
	filter->scratch.cut = 0;
}

/* The first choice among the candidates that the index of the list leaves. */
COLD size_t next_indexed(struct filter *filter, const struct filter_list *list,
			 const struct state_event *event, size_t from)
{
	size_t at = 0, words = filter_index_words(list->count);
	uint64_t skipped = 0; /* bits of the first word */

	if (from == 0) {
		filter_begin(filter);
		find_candidates(filter, list->index, event);
	} else {
		at = (size_t)(filter_list_find(list, from) - list->choices);
		skipped = ((uint64_t)1 << at % FILTER_WORD_BITS) - 1;
	}
	for (size_t word = at / FILTER_WORD_BITS; word < words; word++, skipped = 0) {
		uint64_t left = filter->candidates[word] & ~skipped;

		for (; left; left &= left - 1) {
			size_t i = word * FILTER_WORD_BITS + (size_t)__builtin_ctzll(left);

			if (eval_run(filter, list->choices[i].entry, event))
				return list->choices[i].item;
		}
	}
	return FILTER_NONE;
}

HOT size_t next_known(struct filter *filter, const struct filter_list *list,
		      const struct state_event *event, size_t from)
{
	const struct filter_choice *choice = list->choices, *end = choice + list->count;

	if (list->index)
		return next_indexed(filter, list, event, from);
	if (from == 0)
		filter_begin(filter);
	else
		choice = filter_list_find(list, from);
	for (; choice < end; choice++)
		if (eval_run(filter, choice->entry, event))
			return choice->item;
	return FILTER_NONE;
}

HOT size_t next(struct filter *filter, const struct state_event *event, size_t from)
{
	/* With one list the type decides nothing. */
	const struct filter_list *list =
		filter->nlists > 1 ? eval_list_of(filter, &event->ev) : filter->lists;
	size_t found;

	if (!list->count)
		return FILTER_NONE;
	found = next_known(filter, list, event, from);
	if (__builtin_expect(filter->scratch.cut, 0))
		found = filter_doubt_next(filter, list, event, from);
	return found;
}

size_t filter_group_next(struct filter *filter, const struct state_event *event, size_t from)
{
	return next(filter, event, from);
}

bool filter_match(struct filter *filter, const struct state_event *event)
{
	return next(filter, event, 0) != FILTER_NONE;
}

/* Several values are the ends of a socket: one end must satisfy `=`, both must satisfy `!=`. */
static bool satisfies(const struct filter_check *check, const struct field_value *values, int n,
		      const struct filter_constant *constant)
{
	bool any = false;

	for (int i = 0; i < n && !any; i++)
		any = check->compare(&values[i], constant);
	return any != check->negated;
}

static bool any_in_table(const struct value_table *table, const struct field_value *values, int n)
{
	for (int i = 0; i < n; i++)
		if (value_table_has(table, &values[i]))
			return true;
	return false;
}

static bool satisfies_constants(const struct filter_check *check, const struct field_value *values,
				int n)
{
	uint32_t satisfied = 0;

	if (check->table)
		return any_in_table(check->table, values, n) != check->negated;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		satisfied += satisfies(check, values, n, &check->constants[i]);
		if (satisfied && check->quantifier == FILTER_ANY_OF)
			return true;
	}
	return check->quantifier == FILTER_ALL_OF
		       ? satisfied && satisfied == check->nconstants
		       : check->quantifier == FILTER_ONE_OF && satisfied == 1;
}

bool filter_test_values(struct filter *filter, const struct filter_check *check,
			const struct state_event *event)
{
	const struct field_value *values;
	int n = side_get(filter, check->left, event, &values);

	return n > 0 && satisfies_constants(check, values, n);
}

bool filter_test_value(struct filter *filter, const struct filter_check *check,
		       const struct state_event *event)
{
	const struct field_value *values;
	int n = side_get(filter, check->left, event, &values);

	return n > 0 && satisfies(check, values, n, check->constants);
}

bool filter_test_exists(struct filter *filter, const struct filter_check *check,
			const struct state_event *event)
{
	const struct field_value *values;

	return side_get(filter, check->left, event, &values) >= 0;
}

bool filter_test_ancestors(struct filter *filter, const struct filter_check *check,
			   const struct state_event *event)
{
	const struct field_value *values;

	for (int32_t i = 1; i <= ANCESTORS_MAX; i++) {
		check->left->operand.field->index = i;
		if (side_get(filter, check->left, event, &values) < 0)
			return false;
		if (check->op == FILTER_EXISTS || satisfies_constants(check, values, 1))
			return true;
	}
	return false;
}

/* `in`: every element; `intersects`: one. */
bool filter_test_list(struct filter *filter, const struct filter_check *check,
		      const struct state_event *event)
{
	const struct field_value *values;
	int n = side_get(filter, check->left, event, &values);
	bool every = check->op == FILTER_IN;

	if (n < 0)
		return false;
	for (int i = 0; i < n; i++)
		if (satisfies_constants(check, &values[i], 1) != every)
			return !every;
	return every;
}

static bool in_values(const struct filter_check *check, const struct field_value *value,
		      const struct filter_register *list)
{
	for (int i = 0; i < list->count; i++) {
		const struct filter_constant constant = {.value = list->values[i]};

		if (check->compare(value, &constant))
			return true;
	}
	return false;
}

/*
 * Compares with the values of another field, each as a constant. Sides that are not lists have one
 * value.
 */
bool filter_test_operands(struct filter *filter, const struct filter_check *check,
			  const struct state_event *event)
{
	const struct filter_register *right = &filter->regs[check->right.operand.reg];
	bool every = check->left->operand.list && check->op == FILTER_IN;
	const struct field_value *values;
	int n = side_get(filter, check->left, event, &values);

	if (n < 0 || operand_get(&check->right.operand, event, filter->regs, &filter->scratch) < 0)
		return false;
	for (int i = 0; i < n; i++)
		if ((in_values(check, &values[i], right) != check->negated) != every)
			return !every;
	return every;
}

/*
 * Evaluates expressions again for an event with a value that is not whole: each comparison has one
 * answer or both, and with both the code goes on at both of its jumps. Only such events come here.
 */

enum {
	DEPTH_MAX = 2000, /* of unknown comparisons that follow from each other: of more, all is
			     unknown */
};

/* An answer of which one of two is enough, and one that needs both. */
static unsigned int either(unsigned int a, unsigned int b)
{
	return ((a | b) & DOUBT_YES) | (a & b & DOUBT_NO);
}

static unsigned int eval_both(unsigned int a, unsigned int b)
{
	return (a & b & DOUBT_YES) | ((a | b) & DOUBT_NO);
}

static unsigned int opposite(unsigned int a)
{
	return (a & DOUBT_YES ? DOUBT_NO : 0) | (a & DOUBT_NO ? DOUBT_YES : 0);
}

static unsigned int eval_answer(bool yes)
{
	return yes ? DOUBT_YES : DOUBT_NO;
}

/* As doubt_constant() of eval.c. */
static unsigned int doubt_constant(struct filter *filter, const struct filter_check *check,
				   const struct field_value *values, int n,
				   const struct filter_constant *constant, unsigned int cut)
{
	unsigned int any = DOUBT_NO;

	for (int i = 0; i < n; i++)
		any = either(any, filter_doubt_compare(filter, check, &values[i], constant, cut));
	return check->negated ? opposite(any) : any;
}

static unsigned int doubt_constants(struct filter *filter, const struct filter_check *check,
				    const struct field_value *values, int n, unsigned int cut)
{
	unsigned int any = DOUBT_NO, all = check->nconstants ? DOUBT_YES : DOUBT_NO, sure = 0;
	bool unknown = false;

	for (uint32_t i = 0; i < check->nconstants; i++) {
		unsigned int one =
			doubt_constant(filter, check, values, n, &check->constants[i], cut);

		any = either(any, one);
		all = eval_both(all, one);
		sure += one == DOUBT_YES;
		unknown |= one == DOUBT_UNKNOWN;
	}
	if (check->quantifier == FILTER_ONE_OF)
		return unknown && sure < 2 ? DOUBT_UNKNOWN : eval_answer(sure == 1);
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
				    const struct state_event *event)
{
	const struct field_value *values;
	unsigned int any = DOUBT_NO;

	for (int32_t i = 1; i <= ANCESTORS_MAX && any != DOUBT_YES; i++) {
		check->left->operand.field->index = i;
		filter->scratch.cut = 0;
		if (filter_side_values(filter, check->left, event, &values) < 0)
			break;
		any = either(any, doubt_constants(filter, check, values, 1, filter->scratch.cut));
	}
	return any;
}

static unsigned int doubt_check(struct filter *filter, const struct filter_check *check,
				const struct state_event *event)
{
	const struct field_value *values;
	bool yes;
	int n;

	filter->scratch.cut = 0;
	yes = check->test(filter, check, event);
	if (!filter->scratch.cut || check->op == FILTER_EXISTS)
		return eval_answer(yes);
	if (!is_of_text(check))
		return DOUBT_UNKNOWN;
	if (check->test == filter_test_ancestors)
		return doubt_ancestors(filter, check, event);
	if (check->test != filter_test_value && check->test != filter_test_values)
		return DOUBT_UNKNOWN;
	n = filter_side_values(filter, check->left, event, &values);
	return n > 0 ? doubt_constants(filter, check, values, n, filter->scratch.cut) : DOUBT_NO;
}

static unsigned int possible(struct filter *filter, uint32_t at, const struct state_event *event,
			     unsigned int depth);

/* The answers of a check, or of a part that has code of its own. */
static unsigned int doubt_ask(struct filter *filter, const struct filter_jump *jump,
			      const struct state_event *event, unsigned int depth)
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
static unsigned int possible(struct filter *filter, uint32_t at, const struct state_event *event,
			     unsigned int depth)
{
	while (at < FILTER_FAIL) {
		const struct filter_jump *jump = &filter->code[at];
		unsigned int answers;

		if (filter->doubts[at])
			return filter->doubts[at];
		if (depth >= DEPTH_MAX)
			return DOUBT_UNKNOWN;
		answers = doubt_ask(filter, jump, event, depth);
		if (answers == DOUBT_UNKNOWN) {
			answers = possible(filter, jump->on_true, event, depth + 1);
			if (answers != DOUBT_UNKNOWN)
				answers |= possible(filter, jump->on_false, event, depth + 1);
			filter->doubts[at] = (uint8_t)answers;
			return answers;
		}
		at = answers == DOUBT_YES ? jump->on_true : jump->on_false;
	}
	return eval_answer(at == FILTER_PASS);
}

static bool is_candidate(const struct filter *filter, const struct filter_list *list, size_t i)
{
	return !list->index ||
	       (filter->candidates[i / FILTER_WORD_BITS] >> i % FILTER_WORD_BITS & 1);
}

size_t filter_doubt_next(struct filter *filter, const struct filter_list *list,
			 const struct state_event *event, size_t from)
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
