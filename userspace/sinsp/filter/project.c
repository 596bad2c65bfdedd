/* SPDX-License-Identifier: MIT */
/*
 * Terms are conjunctions and their negations, so the polarity of each check is known: where the
 * kernel does not know a check, the code continues as if it were satisfied.
 */
#include "sinsp/filter/project.h"

#include <string.h>

#include "sinsp/filter/kernel_test.h"

enum {
	/* Larger expressions count as true. */
	VISITS_MAX = 20000,
	FACTS_AT_PATH = (1 << KERNEL_FACTS) - 1,
	FACTS_AT_EXIT = FACTS_AT_PATH & ~KERNEL_FACTS_OF_PATHS,
	FACTS_AT_ENTRY = FACTS_AT_EXIT & ~(1 << KERNEL_RESULT | 1 << KERNEL_OPEN_FLAGS | 1 << KERNEL_DESCRIPTOR),
};

struct projector {
	const struct filter_terms *terms;
	unsigned int id;
	bool any_id; /* what the kernel knows for any event counts as known */
	uint32_t facts;
	unsigned int visits;
	/* Made from the last one on, as targets must be known. */
	uint8_t first;
	struct kernel_check checks[KERNEL_CHECKS_MAX];
};

/* Whether the kernel's part of an expression is just true. */
static bool is_open(struct projector *projector, uint32_t ref)
{
	const struct filter_term *term = filter_term_of(projector->terms, ref);
	bool negated = filter_term_is_negated(ref);
	struct kernel_tests tests;

	if (ref == FILTER_TRUE || ref == FILTER_FALSE)
		return ref == FILTER_TRUE;
	if (++projector->visits > VISITS_MAX)
		return true;
	if (term->check && projector->any_id)
		return !kernel_tests_exist(term->check);
	if (term->check)
		return !kernel_tests_make(term->check, negated, projector->id, projector->facts,
					  &tests);
	for (uint32_t i = 0; i < term->nparts; i++)
		if (is_open(projector, term->parts[i] ^ negated) == negated)
			return negated;
	return !negated;
}

/* Returns where to continue. If there is no room left, the check counts as true. */
static uint8_t add_check(struct projector *projector, const struct filter_check *check,
			 bool negated, uint8_t on_true, uint8_t on_false)
{
	struct kernel_tests tests;
	uint8_t at = on_false, hit = on_true;

	if (!kernel_tests_make(check, negated, projector->id, projector->facts, &tests) ||
	    tests.count > projector->first)
		return on_true;
	if (tests.negated != negated) {
		at = on_true;
		hit = on_false;
	}
	for (uint8_t i = tests.count; i-- > 0;) {
		const struct kernel_test *test = &tests.list[i];
		struct kernel_check *made = &projector->checks[--projector->first];

		*made = test->check;
		made->on_true = test->negated ? at : hit;
		made->on_false = test->negated ? hit : at;
		at = projector->first;
	}
	return at;
}

static uint8_t add(struct projector *projector, uint32_t ref, uint8_t on_true, uint8_t on_false)
{
	const struct filter_term *term = filter_term_of(projector->terms, ref);
	bool negated = filter_term_is_negated(ref);

	if (is_open(projector, ref))
		return on_true;
	if (ref == FILTER_FALSE)
		return on_false;
	if (term->check)
		return add_check(projector, term->check, negated, on_true, on_false);
	for (uint32_t i = term->nparts; i-- > 0;) {
		uint8_t at = add(projector, term->parts[i] ^ negated, on_true, on_false);

		if (negated)
			on_false = at;
		else
			on_true = at;
	}
	return negated ? on_false : on_true;
}

/* Copies the checks that can be reached from `entry`; they are in order. */
static void finish(const struct projector *projector, uint8_t entry, struct kernel_filter *filter)
{
	bool reached[KERNEL_REJECT + 1] = {false};
	uint8_t moved[KERNEL_REJECT + 1];
	uint8_t count = 0;

	*filter = (struct kernel_filter){0};
	moved[KERNEL_PASS] = KERNEL_PASS;
	moved[KERNEL_REJECT] = KERNEL_REJECT;
	reached[entry] = true;
	for (uint8_t i = projector->first; i < KERNEL_CHECKS_MAX; i++) {
		if (!reached[i])
			continue;
		reached[projector->checks[i].on_true] = true;
		reached[projector->checks[i].on_false] = true;
		moved[i] = count++;
	}
	for (uint8_t i = projector->first; i < KERNEL_CHECKS_MAX; i++) {
		struct kernel_check *check = &filter->checks[moved[i]];

		if (!reached[i])
			continue;
		*check = projector->checks[i];
		check->on_true = moved[check->on_true];
		check->on_false = moved[check->on_false];
		filter->facts |= 1u << check->fact;
	}
}

bool filter_project(const struct filter_terms *terms, const struct filter_list *list,
		    unsigned int id, uint32_t facts, struct kernel_filter *filter)
{
	struct projector projector = {
		.terms = terms, .id = id, .facts = facts, .first = KERNEL_CHECKS_MAX};
	uint8_t entry = KERNEL_REJECT;

	for (uint32_t i = 0; i < list->count; i++)
		if (is_open(&projector, list->choices[i].entry))
			return false;
	for (uint32_t i = list->count; i-- > 0;)
		entry = add(&projector, list->choices[i].entry, KERNEL_PASS, entry);
	if (entry >= KERNEL_CHECKS_MAX)
		return false;
	finish(&projector, entry, filter);
	return true;
}

/* Whether a list has nothing for the kernel, whatever the event: most have not. */
static bool is_always_open(const struct filter_terms *terms, const struct filter_list *list)
{
	struct projector projector = {.terms = terms, .any_id = true};

	for (uint32_t i = 0; i < list->count; i++)
		if (is_open(&projector, list->choices[i].entry))
			return true;
	return false;
}

uint8_t kernel_filters_add(struct kernel_filters *filters, const struct kernel_filter *filter)
{
	for (uint8_t i = 0; i < KERNEL_FILTERS_MAX; i++) {
		if (!filters->filters[i].facts)
			filters->filters[i] = *filter;
		if (memcmp(&filters->filters[i], filter, sizeof(*filter)) == 0)
			return (uint8_t)(i + 1);
	}
	return 0;
}

void filter_project_all(const struct filter *filter, const struct filter_terms *terms,
			struct kernel_filters *filters)
{
	bool is_of_containers = filter_flags(filter) & FIELD_OF_CONTAINER;
	const struct filter_list *last = NULL; /* neighbours often share one */
	struct kernel_filter made;
	bool open = false;

	memset(filters, 0, sizeof(*filters));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct filter_list *list = filter->list_of_type[id];

		if (!kernel_tests_suit(id))
			continue;
		if (is_of_containers)
			filters->groups[id] = KERNEL_GROUPS_OF_ALL;
		if (list != last)
			open = is_always_open(terms, list);
		last = list;
		if (open)
			continue;
		if (filter_project(terms, list, id, FACTS_AT_EXIT, &made))
			filters->at_exit[id] = kernel_filters_add(filters, &made);
		if (filter_project(terms, list, id, FACTS_AT_ENTRY, &made))
			filters->at_entry[id] = kernel_filters_add(filters, &made);
		if (filter_project(terms, list, id, FACTS_AT_PATH, &made) &&
		    (made.facts & KERNEL_FACTS_OF_PATHS))
			filters->at_path[id] = kernel_filters_add(filters, &made);
	}
}
