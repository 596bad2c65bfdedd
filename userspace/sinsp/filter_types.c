/* SPDX-License-Identifier: MIT */
/*
 * Which types of events a check can let through, and checks that the type alone decides: those are
 * answered in advance, by asking them about an empty event of each type.
 */
#include <errno.h>
#include <string.h>

#include "sinsp/filter_program.h"

/* The types of events for which a part of the filter can be true, and can be false. */
struct outcome {
	struct filter_types if_true, if_false;
};

static void fill_all(struct filter_types *types)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		types->ids[id] = event_desc_get(id) != NULL;
	memset(types->codes, true, sizeof(types->codes));
}

static void ask(struct filter *filter, const struct filter_check *check,
		struct filter_types *answers)
{
	struct sinsp_event event = {0};
	uint16_t code;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		event.ev.desc = event_desc_get(id);
		answers->ids[id] =
			event.ev.desc && id != EVENT_syscall && check->test(filter, check, &event);
	}
	event.ev.desc = event_desc_get(EVENT_syscall);
	event.ev.params[syscall__ID].data = (const uint8_t *)&code;
	event.ev.params[syscall__ID].len = sizeof(code);
	for (code = 0; code < SYSCALL_CODES_COUNT; code++)
		answers->codes[code] = check->test(filter, check, &event);
}

/* Removes what is in `other`. */
static void subtract(struct filter_types *types, const struct filter_types *other)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		types->ids[id] &= !other->ids[id];
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		types->codes[code] &= !other->codes[code];
}

static void unite(struct filter_types *types, const struct filter_types *other)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		types->ids[id] |= other->ids[id];
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		types->codes[code] |= other->codes[code];
}

static void intersect(struct filter_types *types, const struct filter_types *other)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		types->ids[id] &= other->ids[id];
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		types->codes[code] &= other->codes[code];
}

/* A parameter by name: events without it have no value, which satisfies no operator. */
static void keep_events_with_param(const struct field_ref *field, struct filter_types *types)
{
	bool generic = field->param_of_event[EVENT_syscall] >= 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		types->ids[id] = types->ids[id] && field->param_of_event[id] >= 0;
	memset(types->codes, generic, sizeof(types->codes));
}

/* Whether a check on the type alone is true for a type that no filter can name. */
static bool holds_for_unnamed(struct filter *filter, const struct filter_check *check)
{
	const struct event_desc unnamed = {.name = "", .category = EC_SYSCALL | EC_OTHER};
	const struct sinsp_event event = {.ev.desc = &unnamed};

	return check->test(filter, check, &event);
}

/* Notes the types that a check singles out: it lets them through, and not all others as well. */
static void note_named(struct filter *filter, const struct filter_check *check, bool negated,
		       const struct filter_types *answers)
{
	if (check->left.field->desc->flags & FIELD_DEPRECATED ||
	    holds_for_unnamed(filter, check) != negated)
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		filter->named[id] |= answers->ids[id] != negated;
}

static int outcome_of_check(struct filter *filter, struct filter_check *check, bool negated,
			    struct outcome *outcome)
{
	const struct field_ref *field = check->left.field;
	struct filter_types *answers;

	fill_all(&outcome->if_true);
	fill_all(&outcome->if_false);
	if (field && (field->desc->flags & FIELD_OF_TYPE) && !check->right.nsteps) {
		answers = arena_alloc(&filter->arena, sizeof(*answers));
		if (!answers)
			return -ENOMEM;
		ask(filter, check, answers);
		note_named(filter, check, negated, answers);
		intersect(&outcome->if_true, answers);
		subtract(&outcome->if_false, answers);
		check->types = answers;
		check->test = filter_test_types;
	} else if (field && field->has_arg && field->param_of_event) {
		keep_events_with_param(field, &outcome->if_true);
	}
	return 0;
}

/*
 * `check` is the first one of this part of the tree, and is moved behind its last one. negated:
 * whether the filter wants this part to be false.
 */
static int outcome_of(struct filter *filter, const struct filter_node *node, bool negated,
		      struct filter_check **check, struct outcome *outcome)
{
	struct outcome inner;
	int rc;

	if (node->kind == FILTER_NODE_CHECK || node->kind == FILTER_NODE_NAME)
		return outcome_of_check(filter, (*check)++, negated, outcome);
	if (node->kind == FILTER_NODE_NOT) {
		rc = outcome_of(filter, node->first, !negated, check, &inner);
		outcome->if_true = inner.if_false;
		outcome->if_false = inner.if_true;
		return rc;
	}
	rc = outcome_of(filter, node->first, negated, check, outcome);
	for (const struct filter_node *child = node->first->next; rc == 0 && child;
	     child = child->next) {
		bool is_and = node->kind == FILTER_NODE_AND;

		rc = outcome_of(filter, child, negated, check, &inner);
		if (rc)
			return rc;
		(is_and ? intersect : unite)(&outcome->if_true, &inner.if_true);
		(is_and ? unite : intersect)(&outcome->if_false, &inner.if_false);
	}
	return rc;
}

int filter_types_of_tree(struct filter *filter, const struct filter_node *root)
{
	struct filter_check *check = filter->checks;
	struct outcome outcome;
	int rc = outcome_of(filter, root, false, &check, &outcome);

	if (rc == 0)
		filter->types = outcome.if_true;
	return rc;
}

void filter_event_types(const struct filter *filter, bool ids[EVENT_ID_MAX],
			bool generic[SYSCALL_CODES_COUNT])
{
	memcpy(ids, filter->types.ids, sizeof(filter->types.ids));
	ids[EVENT_syscall] = false;
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++) {
		generic[code] = filter->types.codes[code] &&
				event_desc_of_syscall(code)->id == EVENT_syscall;
		ids[EVENT_syscall] |= generic[code];
	}
}

bool filter_names_event(const struct filter *filter, unsigned int id)
{
	return filter->named[id];
}
