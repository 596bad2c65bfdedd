/* SPDX-License-Identifier: MIT */
/*
 * Decisions by the type of an event: checks that depend only on the type are evaluated in advance,
 * with an empty event of each type.
 */
#include "sinsp/filter/types.h"

#include <errno.h>

static bool decides_type(const struct filter_check *check)
{
	const struct field_ref *field = check->left->operand.field;

	return field && (field->desc->flags & FIELD_OF_TYPE) && !check->right.operand.nsteps;
}

/* Whether its field has values of some types only. */
static bool needs_type(const struct filter_check *check)
{
	const struct field_ref *field = check->left->operand.field;

	return field && (field->param_of_event || field->desc->can_have);
}

bool filter_types_matter(const struct filter_check *check)
{
	return decides_type(check) || needs_type(check);
}

static void ask(struct filter *filter, const struct filter_check *check, uint8_t *answers)
{
	struct sinsp_event event = {0};
	uint16_t code;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		event.ev.desc = event_desc_get(id);
		filter_begin(filter);
		answers[id] =
			event.ev.desc && id != EVENT_syscall && check->test(filter, check, &event);
	}
	event.ev.desc = event_desc_get(EVENT_syscall);
	event.ev.params[syscall__ID].data = (const uint8_t *)&code;
	event.ev.params[syscall__ID].len = sizeof(code);
	for (code = 0; code < SYSCALL_CODES_COUNT; code++) {
		filter_begin(filter);
		answers[FILTER_TYPE_CODES + code] = check->test(filter, check, &event);
	}
}

static bool can_have_value(const struct field_ref *field, const struct event_desc *event)
{
	if (!event || (field->param_of_event && field->param_of_event[event->id] < 0))
		return false;
	return !field->desc->can_have || field->desc->can_have(event);
}

/* Without a value no operator is satisfied. */
static void find_values(const struct filter_check *check, uint8_t *answers)
{
	const struct field_ref *field = check->left->operand.field;

	for (unsigned int type = 0; type < FILTER_TYPES_COUNT; type++) {
		unsigned int id = type < FILTER_TYPE_CODES ? type : EVENT_syscall;

		answers[type] = can_have_value(field, event_desc_get(id)) ? FILTER_ANSWER_OPEN
									  : FILTER_ANSWER_NO;
	}
}

/* Whether a check that depends only on the type is true for a type that no filter can name. */
static bool holds_for_unnamed(struct filter *filter, const struct filter_check *check)
{
	const struct event_desc unnamed = {.name = "", .category = EC_SYSCALL | EC_OTHER};
	const struct sinsp_event event = {.ev.desc = &unnamed};

	filter_begin(filter);
	return check->test(filter, check, &event);
}

static int answer(struct filter *filter, struct filter_terms *terms, struct filter_term *term)
{
	const struct filter_check *check = term->check;
	uint8_t *answers = arena_alloc(&terms->arena, FILTER_TYPES_COUNT);

	if (!answers)
		return -ENOMEM;
	term->names = FILTER_ANSWER_OPEN;
	if (!decides_type(check)) {
		find_values(check, answers);
	} else {
		ask(filter, check, answers);
		/* It names the types that it passes, unless it passes all others as well. */
		if (!(check->left->operand.field->desc->flags & FIELD_DEPRECATED))
			term->names = !holds_for_unnamed(filter, check);
	}
	term->answers = answers;
	return 0;
}

int filter_types_answer(struct filter *filter, struct filter_terms *terms)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < terms->count; i++)
		if (terms->terms[i].check && terms->terms[i].typed)
			rc = answer(filter, terms, &terms->terms[i]);
	return rc;
}
