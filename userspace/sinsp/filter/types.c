/* SPDX-License-Identifier: MIT */
/*
 * What the type of an event decides: checks on the type alone are answered in advance, by asking
 * them about an empty event of each type; types with the same answers get the same list.
 */
#include "sinsp/filter/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/code.h"
#include "sinsp/filter/group.h"

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

/* No value satisfies no operator. */
static void find_values(const struct filter_check *check, uint8_t *answers)
{
	const struct field_ref *field = check->left->operand.field;

	for (unsigned int type = 0; type < FILTER_TYPES_COUNT; type++) {
		unsigned int id = type < FILTER_TYPE_CODES ? type : EVENT_syscall;

		answers[type] = can_have_value(field, event_desc_get(id)) ? FILTER_ANSWER_OPEN
									  : FILTER_ANSWER_NO;
	}
}

/* Whether a check on the type alone is true for a type that no filter can name. */
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
		/* Those that it lets through, if it does not let all others through as well. */
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

/* Types that no check tells apart, so far. */
struct classes {
	uint16_t of_type[FILTER_TYPES_COUNT];
	uint16_t count;
};

static void split(struct classes *classes, const uint8_t *answers)
{
	enum { ANSWERS_COUNT = FILTER_ANSWER_OPEN + 1, NEW = UINT16_MAX };
	uint16_t numbers[FILTER_TYPES_COUNT * ANSWERS_COUNT];

	memset(numbers, 0xff, sizeof(numbers));
	classes->count = 0;
	for (unsigned int type = 0; type < FILTER_TYPES_COUNT; type++) {
		uint16_t *number = &numbers[classes->of_type[type] * ANSWERS_COUNT + answers[type]];

		if (*number == NEW)
			*number = classes->count++;
		classes->of_type[type] = *number;
	}
}

/* All lists while they are made; the entries of their choices are still references to terms. */
struct lister {
	struct filter *filter;
	struct filter_terms *terms;
	struct intern known;
	struct filter_list *lists;
	uint16_t count;
};

/* The choices for one type. */
static int choose(struct lister *lister, const uint32_t *refs, size_t n, unsigned int type,
		  struct filter_list *list)
{
	uint32_t mark = filter_terms_mark(lister->terms);

	list->count = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t ref;
		int rc = filter_terms_specialise(lister->terms, refs[i], type, mark, &ref);

		if (rc)
			return rc;
		if (ref != FILTER_FALSE)
			list->choices[list->count++] = (struct filter_choice){(uint32_t)i, ref};
	}
	return 0;
}

/* Gives an equal list its number; the choices of a new one are copied. */
static int add_list(struct lister *lister, const struct filter_list *list, uint32_t *number)
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
		lister->lists[lister->count] = (struct filter_list){list->count, copy};
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
	int rc = 0;

	lister->lists = arena_alloc(&lister->filter->arena, classes->count * sizeof(list));
	list.choices = arena_alloc(&lister->terms->arena, n * sizeof(list.choices[0]));
	if (!lister->lists || !list.choices)
		return -ENOMEM;
	for (unsigned int type = 0; rc == 0 && type < FILTER_TYPES_COUNT; type++) {
		uint16_t class = classes->of_type[type];

		if (class == seen) { /* they are numbered in the order of the types */
			rc = choose(lister, refs, n, type, &list);
			if (rc == 0)
				rc = add_list(lister, &list, &numbers[class]);
			seen++;
		}
		if (rc == 0)
			lister->filter->list_of_type[type] = &lister->lists[numbers[class]];
	}
	return rc;
}

static int make_code(struct lister *lister)
{
	for (uint16_t i = 0; i < lister->count; i++) {
		const struct filter_list *list = &lister->lists[i];

		for (uint32_t j = 0; j < list->count; j++) {
			uint32_t *entry = &list->choices[j].entry;
			int rc = filter_code_add(lister->filter, lister->terms, *entry, entry);

			if (rc)
				return rc;
		}
	}
	lister->filter->lists = lister->lists;
	lister->filter->nlists = lister->count;
	return 0;
}

int filter_types_list(struct filter *filter, struct filter_terms *terms, const uint32_t *refs,
		      size_t n)
{
	struct lister lister = {filter, terms, .known.arena = &terms->arena};
	struct classes classes = {0};
	int rc;

	classes.count = 1;
	for (size_t i = 0; i < terms->count; i++)
		if (terms->terms[i].answers)
			split(&classes, terms->terms[i].answers);
	rc = make_lists(&lister, &classes, refs, n);
	if (rc == 0)
		rc = make_code(&lister);
	intern_finish(&lister.known);
	return rc;
}

const struct filter_choice *filter_list_find(const struct filter_list *list, size_t item)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->choices[middle].item < item)
			low = middle + 1;
		else
			high = middle;
	}
	return &list->choices[low];
}

/* Whether a list has an item; FILTER_NONE: any. */
static bool has_item(const struct filter_list *list, size_t item)
{
	const struct filter_choice *choice = filter_list_find(list, item);

	if (item == FILTER_NONE)
		return list->count;
	return choice < list->choices + list->count && choice->item == item;
}

void filter_group_event_types(const struct filter *filter, size_t item, bool ids[EVENT_ID_MAX],
			      bool generic[SYSCALL_CODES_COUNT])
{
	bool possible[FILTER_TYPES_COUNT];

	for (size_t i = 0; i < filter->nlists; i++)
		possible[i] = has_item(&filter->lists[i], item);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		ids[id] = event_desc_get(id) && possible[filter->list_of_type[id] - filter->lists];
	ids[EVENT_syscall] = false;
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++) {
		generic[code] =
			possible[filter->list_of_type[FILTER_TYPE_CODES + code] - filter->lists] &&
			event_desc_of_syscall(code)->id == EVENT_syscall;
		ids[EVENT_syscall] |= generic[code];
	}
}

bool filter_group_passes_generic(const struct filter *filter, size_t item)
{
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		if (has_item(filter->list_of_type[FILTER_TYPE_CODES + code], item))
			return true;
	return false;
}

void filter_event_types(const struct filter *filter, bool ids[EVENT_ID_MAX],
			bool generic[SYSCALL_CODES_COUNT])
{
	filter_group_event_types(filter, FILTER_NONE, ids, generic);
}
