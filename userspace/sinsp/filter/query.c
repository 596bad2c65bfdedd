/* SPDX-License-Identifier: MIT */
/*
 * Properties of a compiled filter, known before any event: types, flags, needed state, control
 * groups.
 */
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/filter.h"
#include "sinsp/filter/program.h"
#include "sinsp/state/containers/containers.h"
#include "sinsp/state/fds.h"

/*
 * The code of the filter, with both results of each check that needs an event. The targets of a
 * jump come before it: one pass over the code finds which ends each jump can reach.
 */

/* Results that are possible; bits. */
enum { CAN_FAIL = 1 << 0, CAN_PASS = 1 << 1, CAN_BOTH = CAN_FAIL | CAN_PASS };

/* Whether all its fields have one of some flags. */
static bool has_only(const struct filter_operand *operand, unsigned int flags)
{
	for (uint16_t i = 0; i < operand->nsteps; i++)
		if (!operand->steps[i].run && !(operand->steps[i].ref->desc->flags & flags))
			return false;
	return true;
}

/* Whether it is fd.type, or made of it. */
static bool is_of_kind(const struct filter_operand *operand)
{
	for (uint16_t i = 0; i < operand->nsteps; i++)
		if (!operand->steps[i].run && operand->steps[i].ref->desc->fact != FIELD_FACT_KIND)
			return false;
	return true;
}

/* Beside flags of fields: what the kind of a descriptor decides. */
#define DECIDES_KIND (1u << 31)

static bool is_decided(const struct filter_check *check, unsigned int flags)
{
	if (flags == DECIDES_KIND)
		return is_of_kind(&check->left->operand) && is_of_kind(&check->right.operand);
	return has_only(&check->left->operand, flags) && has_only(&check->right.operand, flags);
}

/* The results from one place of the code on. */
static uint8_t results_at(const uint8_t *results, uint32_t at)
{
	if (at >= FILTER_FAIL)
		return at == FILTER_PASS ? CAN_PASS : CAN_FAIL;
	return results[at];
}

static uint8_t answers_of(struct filter *filter, const struct filter_jump *jump,
			  const uint8_t *results, const struct state_event *event,
			  unsigned int flags)
{
	if (!jump->test)
		return results_at(results, jump->memo->entry);
	if (!is_decided(jump->check, flags))
		return CAN_BOTH;
	return jump->test(filter, jump->check, event) ? CAN_PASS : CAN_FAIL;
}

static void find_results(struct filter *filter, const struct state_event *event, unsigned int flags,
			 uint8_t *results)
{
	filter_begin(filter);
	for (size_t i = 0; i < filter->njumps; i++) {
		const struct filter_jump *jump = &filter->code[i];
		uint8_t answers = answers_of(filter, jump, results, event, flags);

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

/*
 * By the fields with one of some flags, of events with a list; NULL: of all. Of what is cut, the
 * comparison may be another one.
 */
static enum filter_decision decide(struct filter *filter, const struct state_event *event,
				   const struct filter_list *list, unsigned int flags)
{
	uint8_t *results = malloc(filter->njumps + 1), found = CAN_BOTH;

	if (!results)
		return FILTER_UNDECIDED;
	find_results(filter, event, flags, results);
	if (!filter->scratch.cut)
		found = list ? results_of_list(list, results) : results_of_types(filter, results);
	free(results);
	if (found == CAN_BOTH)
		return FILTER_UNDECIDED;
	return found == CAN_PASS ? FILTER_ACCEPTED : FILTER_REJECTED;
}

enum filter_decision filter_decide(struct filter *filter, const struct state_cgroups *cgroups)
{
	/* A thread of which only the groups are known, and that it exists. */
	const struct state_thread thread = {.pid = 1, .cgroups = (struct state_cgroups *)cgroups};
	const struct state_event event = {.thread = &thread};

	return decide(filter, &event, NULL, FIELD_OF_CONTAINER);
}

enum filter_decision filter_decide_thread(struct filter *filter, const struct state *state,
					  const struct state_thread *thread)
{
	const struct state_event event = {.state = state, .thread = thread};

	return decide(filter, &event, NULL, FIELD_OF_CONTAINER | FIELD_OF_PROCESS);
}

enum filter_decision filter_decide_requests(struct filter *filter, uint8_t protocol, uint8_t role)
{
	/* A request of which only these are known. */
	const struct state_event event = {
		.ev = {.desc = event_desc_get(EVENT_request),
		       .params = {[request__protocol] = {&protocol, sizeof(protocol)},
				  [request__role] = {&role, sizeof(role)}}}};

	return decide(filter, &event, filter->list_of_type[EVENT_request], FIELD_OF_STREAM);
}

/* Properties of a compiled filter, known before any event: types, flags, needed state. */

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

static bool passes_with_kind(struct filter *filter, uint32_t entry, const struct state_fd *fd,
			     uint8_t *results)
{
	const struct state_event event = {.fd = fd, .has_fd = fd != NULL};

	find_results(filter, &event, DECIDES_KIND, results);
	return results_at(results, entry) & CAN_PASS;
}

/* With any kind that a call which opens a file can make, or none, as one that failed. */
static bool passes_with_any_kind(struct filter *filter, uint32_t entry, uint8_t *results)
{
	bool passes = passes_with_kind(filter, entry, NULL, results);

	for (unsigned int type = 0; type < SCAP_FD_TYPES_COUNT && !passes; type++) {
		const struct state_fd fd = {.type = type};

		passes = !state_fd_is_socket(&fd) && passes_with_kind(filter, entry, &fd, results);
	}
	return passes;
}

bool filter_group_wants_other_kind(struct filter *filter, size_t item)
{
	uint8_t *results = malloc(filter->njumps + 1);
	bool passes = !results || filter_group_passes_generic(filter, item);

	for (unsigned int id = 0; id < EVENT_ID_MAX && !passes; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc && !(desc->flags & EF_RECORDED) &&
		    has_item(filter->list_of_type[id], item))
			passes = !desc->opens.name ||
				 passes_with_any_kind(
					 filter,
					 filter_list_find(filter->list_of_type[id], item)->entry,
					 results);
	}
	free(results);
	return !passes;
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
	for (unsigned int r = 0; r < SYSCALL_CODES_COUNT; r++) {
		generic[r] =
			possible[filter->list_of_type[FILTER_TYPE_CODES + r] - filter->lists] &&
			event_desc_of_syscall(r)->id == EVENT_syscall;
		ids[EVENT_syscall] |= generic[r];
	}
}

bool filter_group_passes_generic(const struct filter *filter, size_t item)
{
	for (unsigned int r = 0; r < SYSCALL_CODES_COUNT; r++)
		if (has_item(filter->list_of_type[FILTER_TYPE_CODES + r], item))
			return true;
	return false;
}

void filter_event_types(const struct filter *filter, bool ids[EVENT_ID_MAX],
			bool generic[SYSCALL_CODES_COUNT])
{
	filter_group_event_types(filter, FILTER_NONE, ids, generic);
}

size_t filter_group_count(const struct filter *filter)
{
	return filter->nitems;
}

bool filter_group_names_event(const struct filter *filter, size_t item, unsigned int id)
{
	return filter->items[item].named[id];
}

unsigned int filter_group_flags(const struct filter *filter, size_t item)
{
	return filter->items[item].flags;
}

unsigned int filter_group_needs(const struct filter *filter, size_t item)
{
	return filter->items[item].needs;
}

bool filter_names_event(const struct filter *filter, unsigned int id)
{
	bool named = false;

	for (size_t i = 0; i < filter->nitems; i++)
		named |= filter->items[i].named[id];
	return named;
}

static bool is_text(const struct filter_constant *constant, const char *text)
{
	const char *data = constant->regex ? NULL : constant->value.bytes.data;

	return data && strcmp(data, text) == 0;
}

bool filter_names_text(const struct filter *filter, const char *field, const char *text)
{
	for (size_t i = 0; i < filter->njumps; i++) {
		const struct filter_check *check = filter->code[i].check;
		const struct field_ref *ref = check ? check->left->operand.field : NULL;

		if (!ref || ref->type != PT_CHARBUF || strcmp(ref->desc->name, field) != 0)
			continue;
		for (uint32_t n = 0; n < check->nconstants; n++)
			if (is_text(&check->constants[n], text))
				return true;
	}
	return false;
}

unsigned int filter_flags(const struct filter *filter)
{
	unsigned int flags = 0;

	for (size_t i = 0; i < filter->nitems; i++)
		flags |= filter->items[i].flags;
	return flags;
}

bool filter_reads_only(const struct filter *filter,
		       bool (*is)(const struct field_ref *ref, void *context), void *context)
{
	bool all = true;

	for (const struct filter_ref *ref = filter->refs; ref; ref = ref->next)
		all &= is(&ref->ref, context);
	return all;
}

unsigned int filter_needs(const struct filter *filter)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < filter->nitems; i++)
		needs |= filter->items[i].needs;
	return needs;
}

bool filter_is_unknown(const struct filter *filter)
{
	return filter->is_unknown;
}

const struct kernel_filters *filter_kernel_part(const struct filter *filter)
{
	return filter->kernel_part;
}

/* The needs of the code from one place on. */
static unsigned int needs_at(const unsigned int *needs, uint32_t at)
{
	return at < FILTER_FAIL ? needs[at] : NEEDS_NOTHING;
}

/* Of the code from each jump on, whose targets come before it. */
static void find_needs(const struct filter *filter, unsigned int *needs)
{
	for (size_t i = 0; i < filter->njumps; i++) {
		const struct filter_jump *jump = &filter->code[i];

		needs[i] = needs_at(needs, jump->on_true) | needs_at(needs, jump->on_false);
		if (jump->test)
			needs[i] |=
				jump->check->left->operand.needs | jump->check->right.operand.needs;
		else
			needs[i] |= needs_at(needs, jump->memo->entry);
	}
}

static unsigned int needs_of_list(const struct filter_list *list, const unsigned int *needs)
{
	unsigned int all = NEEDS_NOTHING;

	for (uint32_t i = 0; i < list->count; i++)
		all |= needs_at(needs, list->choices[i].entry);
	return all;
}

void filter_event_needs(const struct filter *filter, unsigned int needs[EVENT_ID_MAX])
{
	unsigned int *of_code = calloc(filter->njumps + 1, sizeof(*of_code));

	if (of_code)
		find_needs(filter, of_code);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		needs[id] = of_code ? needs_of_list(filter->list_of_type[id], of_code)
				    : filter_needs(filter);
	for (unsigned int r = 0; of_code && r < SYSCALL_CODES_COUNT; r++)
		needs[EVENT_syscall] |=
			needs_of_list(filter->list_of_type[FILTER_TYPE_CODES + r], of_code);
	free(of_code);
}
