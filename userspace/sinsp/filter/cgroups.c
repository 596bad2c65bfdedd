/* SPDX-License-Identifier: MIT */
/*
 * The code of the filter, with both results of each check that needs an event. The targets of a
 * jump come before it: one pass over the code finds which ends each jump can reach.
 */
#include "sinsp/filter/cgroups.h"

#include <stdlib.h>

#include "sinsp/filter/program.h"
#include "sinsp/tables/containers.h"

/* Results that are possible; bits. */
enum { CAN_FAIL = 1 << 0, CAN_PASS = 1 << 1, CAN_BOTH = CAN_FAIL | CAN_PASS };

static bool is_of_container(const struct filter_operand *operand)
{
	for (uint16_t i = 0; i < operand->nsteps; i++)
		if (!operand->steps[i].run &&
		    !(operand->steps[i].ref->desc->flags & FIELD_OF_CONTAINER))
			return false;
	return true;
}

static bool is_decided(const struct filter_check *check)
{
	return is_of_container(&check->left->operand) && is_of_container(&check->right.operand);
}

/* The results from one place of the code on. */
static uint8_t results_at(const uint8_t *results, uint32_t at)
{
	if (at >= FILTER_FAIL)
		return at == FILTER_PASS ? CAN_PASS : CAN_FAIL;
	return results[at];
}

static uint8_t answers_of(struct filter *filter, const struct filter_jump *jump,
			  const uint8_t *results, const struct sinsp_event *event)
{
	if (!jump->test)
		return results_at(results, jump->memo->entry);
	if (!is_decided(jump->check))
		return CAN_BOTH;
	return jump->test(filter, jump->check, event) ? CAN_PASS : CAN_FAIL;
}

static void find_results(struct filter *filter, const struct sinsp_event *event, uint8_t *results)
{
	filter_begin(filter);
	for (size_t i = 0; i < filter->njumps; i++) {
		const struct filter_jump *jump = &filter->code[i];
		uint8_t answers = answers_of(filter, jump, results, event);

		results[i] = (answers & CAN_PASS ? results_at(results, jump->on_true) : 0) |
			     (answers & CAN_FAIL ? results_at(results, jump->on_false) : 0);
	}
}

/* An event passes if it passes one of the expressions. */
static uint8_t results_of_list(const struct filter_list *list, const uint8_t *results)
{
	uint8_t all = CAN_FAIL;

	for (uint32_t i = 0; i < list->count; i++) {
		uint8_t choice = results_at(results, list->choices[i].entry);

		if (choice == CAN_PASS)
			return CAN_PASS;
		all |= choice;
	}
	return all;
}

/* Types without an expression do not pass anyway. */
static uint8_t results_of_types(const struct filter *filter, const uint8_t *results)
{
	uint8_t all = 0;

	for (size_t i = 0; i < filter->nlists; i++)
		if (filter->lists[i].count)
			all |= results_of_list(&filter->lists[i], results);
	return all;
}

enum filter_decision filter_decide(struct filter *filter, const struct sinsp_cgroups *cgroups)
{
	/* A thread of which only the groups are known, and that it exists. */
	const struct sinsp_thread thread = {.pid = 1, .cgroups = (struct sinsp_cgroups *)cgroups};
	const struct sinsp_event event = {.thread = &thread};
	uint8_t *results = malloc(filter->njumps + 1), found;

	if (!results)
		return FILTER_UNDECIDED;
	find_results(filter, &event, results);
	found = results_of_types(filter, results);
	free(results);
	if (found == CAN_BOTH)
		return FILTER_UNDECIDED;
	return found == CAN_PASS ? FILTER_ACCEPTED : FILTER_REJECTED;
}
