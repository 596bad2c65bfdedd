/* SPDX-License-Identifier: MIT */
/* Decisions by the type of an event; types with the same answers share a list. */
#include "sinsp/filter/lists.h"

#include <errno.h>
#include <string.h>

#include "sinsp/filter/index.h"
#include "sinsp/filter/project.h"
#include "sinsp/filter/terms.h"

/*
 * Decisions by the type of an event: checks that depend only on the type are evaluated in advance,
 * with an empty event of each type.
 */

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

static void lists_ask(struct filter *filter, const struct filter_check *check, uint8_t *answers)
{
	struct state_event event = {0};
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
	const struct state_event event = {.ev.desc = &unnamed};

	filter_begin(filter);
	return check->test(filter, check, &event);
}

static int lists_answer(struct filter *filter, struct filter_terms *terms, struct filter_term *term)
{
	const struct filter_check *check = term->check;
	uint8_t *answers = arena_alloc(&terms->arena, FILTER_TYPES_COUNT);

	if (!answers)
		return -ENOMEM;
	term->names = FILTER_ANSWER_OPEN;
	if (!decides_type(check)) {
		find_values(check, answers);
	} else {
		lists_ask(filter, check, answers);
		/* It names the types that it passes, unless it passes all others as well. */
		if (!(check->left->operand.field->desc->flags & FIELD_DEPRECATED))
			term->names = !holds_for_unnamed(filter, check);
	}
	term->answers = answers;
	return 0;
}

int filter_types_answer(struct filter *filter, struct filter_terms *terms)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < terms->count; i++)
		if (terms->terms[i].check && terms->terms[i].typed)
			r = lists_answer(filter, terms, &terms->terms[i]);
	return r;
}

/*
 * Types of events with the same answers share a list: the expressions that they can satisfy, and
 * the rest of each.
 */

/* Classes of types that no check so far distinguishes. */
struct classes {
	uint16_t of_type[FILTER_TYPES_COUNT];
	uint16_t count;
};

static void lists_split(struct classes *classes, const uint8_t *answers)
{
	enum { ANSWERS_COUNT = FILTER_ANSWER_OPEN + 1, NEW = UINT16_MAX };
	uint16_t numbers[FILTER_TYPES_COUNT * ANSWERS_COUNT];

	/* Most checks have the same answer for all types. */
	if (memcmp(answers, answers + 1, FILTER_TYPES_COUNT - 1) == 0)
		return;
	memset(numbers, 0xff, sizeof(numbers));
	classes->count = 0;
	for (unsigned int type = 0; type < FILTER_TYPES_COUNT; type++) {
		uint16_t *number = &numbers[classes->of_type[type] * ANSWERS_COUNT + answers[type]];

		if (*number == NEW)
			*number = classes->count++;
		classes->of_type[type] = *number;
	}
}

/* All lists during compilation; the entries of their choices are still references to terms. */
struct lister {
	struct filter *filter;
	struct filter_terms *terms;
	struct intern known;
	struct filter_list *lists;
	uint16_t count;
};

/* The choices for one type. */
static int lists_choose(struct lister *lister, const uint32_t *refs, size_t n, unsigned int type,
			struct filter_list *list)
{
	uint32_t mark = filter_terms_mark(lister->terms);

	list->count = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t ref;
		int r = filter_terms_specialise(lister->terms, refs[i], type, mark, &ref);

		if (r)
			return r;
		if (ref != FILTER_FALSE)
			list->choices[list->count++] = (struct filter_choice){(uint32_t)i, ref};
	}
	return 0;
}

/* Returns the number of an equal list; adds a new one, with a copy of its choices. */
static int lists_add_list(struct lister *lister, const struct filter_list *list, uint32_t *number)
{
	size_t bytes = list->count * sizeof(list->choices[0]);
	uint32_t *known = intern(&lister->known, list->choices, bytes);
	struct filter_choice *copy;

	if (!known)
		return -ENOMEM;
	if (!*known) {
		copy = arena_alloc(&lister->filter->arena, bytes);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, list->choices, bytes);
		lister->lists[lister->count] = (struct filter_list){list->count, copy, NULL};
		filter_code_share(lister->terms, &lister->lists[lister->count]);
		*known = ++lister->count;
	}
	*number = *known - 1;
	return 0;
}

static int make_lists(struct lister *lister, const struct classes *classes, const uint32_t *refs,
		      size_t n)
{
	uint32_t numbers[FILTER_TYPES_COUNT];
	struct filter_list list = {0};
	uint16_t seen = 0;
	int r = 0;

	lister->lists = arena_alloc(&lister->filter->arena, classes->count * sizeof(list));
	list.choices = arena_alloc(&lister->terms->arena, n * sizeof(list.choices[0]));
	if (!lister->lists || !list.choices)
		return -ENOMEM;
	for (unsigned int type = 0; r == 0 && type < FILTER_TYPES_COUNT; type++) {
		uint16_t class = classes->of_type[type];

		if (class == seen) { /* classes are numbered in the order of the types */
			r = lists_choose(lister, refs, n, type, &list);
			if (r == 0)
				r = lists_add_list(lister, &list, &numbers[class]);
			seen++;
		}
		if (r == 0)
			lister->filter->list_of_type[type] = &lister->lists[numbers[class]];
	}
	return r;
}

static int make_indexes(struct lister *lister, size_t nitems)
{
	struct filter *filter = lister->filter;
	int r = 0;

	filter->candidates = arena_alloc(&filter->arena, filter_index_words(nitems) *
								 sizeof(filter->candidates[0]));
	if (!filter->candidates)
		return -ENOMEM;
	for (uint16_t i = 0; r == 0 && i < lister->count; i++)
		r = filter_index_make(filter, lister->terms, &lister->lists[i]);
	return r;
}

static int make_code(struct lister *lister)
{
	for (uint16_t i = 0; i < lister->count; i++) {
		const struct filter_list *list = &lister->lists[i];

		for (uint32_t j = 0; j < list->count; j++) {
			uint32_t *entry = &list->choices[j].entry;
			int r = filter_code_add(lister->filter, lister->terms, *entry, entry);

			if (r)
				return r;
		}
	}
	lister->filter->lists = lister->lists;
	lister->filter->nlists = lister->count;
	return 0;
}

static int project(struct lister *lister)
{
	struct kernel_filters *filters = arena_alloc(&lister->filter->arena, sizeof(*filters));

	if (!filters)
		return -ENOMEM;
	filter_project_all(lister->filter, lister->terms, filters);
	lister->filter->kernel_part = filters;
	return 0;
}

int filter_lists_make(struct filter *filter, struct filter_terms *terms, const uint32_t *refs,
		      size_t n)
{
	struct lister lister = {filter, terms, .known.arena = &terms->arena};
	struct classes classes = {0};
	int r;

	classes.count = 1;
	for (size_t i = 0; i < terms->count; i++)
		if (terms->terms[i].answers)
			lists_split(&classes, terms->terms[i].answers);
	r = make_lists(&lister, &classes, refs, n);
	if (r == 0)
		r = project(&lister);
	if (r == 0)
		r = make_indexes(&lister, n);
	if (r == 0)
		r = make_code(&lister);
	intern_finish(&lister.known);
	return r;
}
