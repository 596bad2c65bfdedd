/* SPDX-License-Identifier: MIT */
/*
 * A filter at work, event by event: one pass over the checks, forward only. Nothing is allocated
 * and nothing is looked up by name.
 */
#include "sinsp/filter_program.h"

/* A chain of parents that is longer is cut. */
enum { ANCESTORS_MAX = 256 };

bool filter_match(struct filter *filter, const struct sinsp_event *event)
{
	uint32_t at = 0;

	while (at < FILTER_FAIL) {
		const struct filter_check *check = &filter->checks[at];

		at = check->test(filter, check, event) ? check->on_true : check->on_false;
	}
	return at == FILTER_PASS;
}

/* The left side comes first: what earlier checks have put together is not needed any more. */
static int left_get(struct filter *filter, const struct filter_check *check,
		    const struct sinsp_event *event)
{
	struct filter_slot *slot = filter->slots;

	filter->scratch.used = 0;
	if (!check->left.field)
		return operand_get(&check->left, event, filter->slots, &filter->scratch);
	slot->count = field_get(check->left.field, event, &filter->scratch, slot->values);
	return slot->count;
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

static bool any_in_set(const struct filter_set *set, const struct field_value *values, int n)
{
	for (int i = 0; i < n; i++)
		if (filter_set_has(set, &values[i]))
			return true;
	return false;
}

static bool satisfies_constants(const struct filter_check *check, const struct field_value *values,
				int n)
{
	uint32_t satisfied = 0;

	if (check->set)
		return any_in_set(check->set, values, n) != check->negated;
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
			const struct sinsp_event *event)
{
	int n = left_get(filter, check, event);

	return n > 0 && satisfies_constants(check, filter->slots[0].values, n);
}

bool filter_test_value(struct filter *filter, const struct filter_check *check,
		       const struct sinsp_event *event)
{
	int n = left_get(filter, check, event);

	return n > 0 && satisfies(check, filter->slots[0].values, n, check->constants);
}

bool filter_test_exists(struct filter *filter, const struct filter_check *check,
			const struct sinsp_event *event)
{
	return left_get(filter, check, event) >= 0;
}

bool filter_test_ancestors(struct filter *filter, const struct filter_check *check,
			   const struct sinsp_event *event)
{
	for (int32_t i = 1; i <= ANCESTORS_MAX; i++) {
		check->left.field->index = i;
		if (left_get(filter, check, event) < 0)
			return false;
		if (check->op == FILTER_EXISTS ||
		    satisfies_constants(check, filter->slots[0].values, 1))
			return true;
	}
	return false;
}

/* `in`: every element; `intersects`: one. */
bool filter_test_list(struct filter *filter, const struct filter_check *check,
		      const struct sinsp_event *event)
{
	int n = left_get(filter, check, event);
	bool every = check->op == FILTER_IN;

	if (n < 0)
		return false;
	for (int i = 0; i < n; i++)
		if (satisfies_constants(check, &filter->slots[0].values[i], 1) != every)
			return !every;
	return every;
}

static bool in_values(const struct filter_check *check, const struct field_value *value,
		      const struct filter_slot *list)
{
	for (int i = 0; i < list->count; i++) {
		const struct filter_constant constant = {.value = list->values[i]};

		if (check->compare(value, &constant))
			return true;
	}
	return false;
}

/* Against the values of another field: each as a constant. Single sides have one value. */
bool filter_test_operands(struct filter *filter, const struct filter_check *check,
			  const struct sinsp_event *event)
{
	const struct filter_slot *left = &filter->slots[check->left.slot];
	const struct filter_slot *right = &filter->slots[check->right.slot];
	bool every = check->left.list && check->op == FILTER_IN;

	if (left_get(filter, check, event) < 0 ||
	    operand_get(&check->right, event, filter->slots, &filter->scratch) < 0)
		return false;
	for (int i = 0; i < left->count; i++)
		if ((in_values(check, &left->values[i], right) != check->negated) != every)
			return !every;
	return every;
}

bool filter_test_types(struct filter *filter, const struct filter_check *check,
		       const struct sinsp_event *event)
{
	const struct event *ev = &event->ev;
	unsigned int code;

	if (ev->desc->id != EVENT_syscall)
		return check->types->ids[ev->desc->id];
	code = event_syscall_code(ev);
	return check->types->codes[code < SYSCALL_CODES_COUNT ? code : SC_unknown];
}
