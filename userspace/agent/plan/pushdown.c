/* SPDX-License-Identifier: MIT */
/*
 * Decides which conditions of the filter the kernel may apply, and makes its filters of them: an
 * event that the state needs, too, is rejected there only where the call failed.
 */
#include "agent/plan/pushdown.h"

#include <string.h>
#include <unistd.h>

#include "agent/record/captures.h"
#include "scap/live/programs.h"
#include "sinsp/sinsp.h"
#include "util/count.h"
#include "views/counted.h"

static bool has_captures(const struct plan *plan)
{
	return plan->printer->captures && plan->printer->captures->count;
}

/*
 * A recording has what updates the state, too. A field that counts events, or measures the time
 * between them, would miss those that the kernel rejects.
 */
static bool pushdown_is_possible(const struct plan *plan)
{
	const struct options *options = plan->options;

	return plan->filter && !options->read && !options->write && !options->no_pushdown &&
	       !has_captures(plan) && !(filter_flags(plan->filter) & FIELD_OF_PAST);
}

/* Removes the filters that no event has. */
static void pushdown_drop_unused(struct kernel_filters *filters)
{
	bool used[1 + KERNEL_FILTERS_MAX] = {false};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		used[filters->at_exit[id]] = used[filters->at_entry[id]] =
			used[filters->at_path[id]] = true;
	for (unsigned int i = 0; i < KERNEL_FILTERS_MAX; i++)
		if (!used[1 + i])
			memset(&filters->filters[i], 0, sizeof(filters->filters[i]));
}

enum { ABOUT_MASK = 0xff }; /* of a category: what the event is about */

/* Whether the state needs an event only if the call succeeded: those that open files. */
static bool needs_success(const struct plan *plan, unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	return plan->selection.events[id] == (WHY_FILTER | WHY_FILES) &&
	       (desc->category & ABOUT_MASK) == EC_FILE && (desc->flags & EF_CREATES_FD) &&
	       desc->params[0].is_result;
}

static uint8_t after_first(uint8_t target)
{
	return target < KERNEL_CHECKS_MAX ? (uint8_t)(target + 1) : target;
}

/* Adds a filter that rejects the same calls as far as they fail. Returns its number, or 0. */
static uint8_t only_failed(struct kernel_filters *filters, uint8_t number)
{
	const struct kernel_filter *from;
	struct kernel_filter made = {.checks = {{KERNEL_RESULT, KERNEL_LESS, 1, KERNEL_PASS}}};

	if (!number)
		return 0;
	from = &filters->filters[number - 1];
	/* Checks lead forward: one that leads to the first is not used. */
	if (from->checks[KERNEL_CHECKS_MAX - 1].on_true)
		return 0;
	made.facts = from->facts | 1 << KERNEL_RESULT;
	for (unsigned int i = 0; i + 1 < KERNEL_CHECKS_MAX && from->checks[i].on_true; i++) {
		made.checks[i + 1] = from->checks[i];
		made.checks[i + 1].on_true = after_first(from->checks[i].on_true);
		made.checks[i + 1].on_false = after_first(from->checks[i].on_false);
	}
	return filter_kernel_add(filters, &made);
}

/* Of an event that the state needs, too, at most failed calls are rejected. */
static void restrict_event(const struct plan *plan, unsigned int id, struct kernel_filters *filters)
{
	bool is_alone = plan->selection.events[id] == WHY_FILTER;

	if (!is_alone)
		filters->at_exit[id] =
			needs_success(plan, id) ? only_failed(filters, filters->at_exit[id]) : 0;
	if (!is_alone)
		filters->at_path[id] = 0;
	if (!is_alone && filters->groups[id])
		filters->groups[id] =
			needs_success(plan, id) ? KERNEL_GROUPS_OF_FAILED : KERNEL_GROUPS_OF_NONE;
	if (!is_alone || !filters->at_exit[id] ||
	    !live_reads_entry(id, selection_entry_notes(&plan->selection)))
		filters->at_entry[id] = 0;
}

/*
 * What changes a field with FIELD_OF_PROCESS or FIELD_OF_CONTAINER: the filter may say something
 * else of the process. The calls that create a process have another one begin.
 */
static const uint16_t mute_ends[] = {
	EVENT_execve,	 EVENT_clone,	  EVENT_clone3,	 EVENT_fork,	 EVENT_vfork,
	EVENT_prctl,	 EVENT_setuid,	  EVENT_setgid,	 EVENT_setreuid, EVENT_setregid,
	EVENT_setresuid, EVENT_setresgid, EVENT_unshare, EVENT_setns,	 EVENT_cgroup_attach,
};

/* Calls that concern nothing but the descriptors of the process, or the filter. */
static bool may_drop(const struct plan *plan, unsigned int id)
{
	unsigned int why = plan->selection.events[id];

	return why && !(why & ~(WHY_FILTER | WHY_DESCRIPTORS | WHY_FILES | WHY_CONNECTIONS)) &&
	       (event_desc_get(id)->category & EC_SYSCALL) && id != EVENT_exit &&
	       id != EVENT_exit_group && id != EVENT_bpf; /* that may be about the capture itself */
}

/*
 * Who chooses processes, or wants the whole state or all requests, gets them as they are. Processes
 * whose own events are not wanted may be at the other end of those that are.
 */
static void add_mutes(const struct plan *plan, struct kernel_filters *filters)
{
	if (!(filter_flags(plan->filter) & (FIELD_OF_PROCESS | FIELD_OF_CONTAINER)) ||
	    plan_chooses(plan) || plan->selection.full_state || plan->options->request_metrics ||
	    plan->selection.needs_peers)
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (may_drop(plan, id))
			filters->mute[id] = filters->mutes = KERNEL_MUTE_DROPS;
	for (size_t i = 0; filters->mutes && i < COUNT(mute_ends); i++)
		if (plan->selection.events[mute_ends[i]])
			filters->mute[mute_ends[i]] = KERNEL_MUTE_ENDS;
}

/*
 * Metrics are of all requests, but where the filter is about requests alone: then of all of those
 * protocols and roles that it can want.
 */
static bool may_leave_out(const struct plan *plan)
{
	return selection_has_requests(&plan->selection) &&
	       (!plan->options->request_metrics ||
		(!plan->ruleset && selection_is_of_requests(&plan->selection)));
}

/* Responses of DNS to clients give the names of servers, for requests of all protocols. */
static bool names_others(unsigned int role, unsigned int protocol)
{
	return role == request_roles__client && protocol == request_protocols__dns;
}

static void find_unwanted(struct plan *plan)
{
	for (uint8_t role = 0; role < REQUESTS_ROLES; role++)
		for (uint8_t protocol = 0; protocol < REQUESTS_PROTOCOLS_MAX; protocol++)
			if (!names_others(role, protocol) &&
			    filter_decide_requests(plan->filter, protocol, role) == FILTER_REJECTED)
				plan->unwanted.by_role[role] |= UINT32_C(1) << protocol;
}

void pushdown_make(struct plan *plan)
{
	struct kernel_filters *filters = &plan->kernel_filters;

	memset(filters, 0, sizeof(*filters));
	memset(&plan->unwanted, 0, sizeof(plan->unwanted));
	if (!pushdown_is_possible(plan))
		return;
	if (may_leave_out(plan))
		find_unwanted(plan);
	*filters = *filter_kernel_part(plan->filter);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		restrict_event(plan, id, filters);
	/* Of these the rules decide, too. */
	for (unsigned int id = 0; id < EVENT_ID_MAX && plan->triggers; id++)
		if (plan->trigger_selection.events[id])
			filters->at_exit[id] = filters->at_entry[id] = filters->at_path[id] =
				filters->groups[id] = 0;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		plan->rejects_groups |= filters->groups[id] != KERNEL_GROUPS_OF_NONE;
	if (!plan->triggers)
		add_mutes(plan, filters);
	pushdown_drop_unused(filters);
}

/* Whether what a view prints is all that comes of the events that pass. */
static bool only_counts(const struct plan *plan)
{
	const struct options *options = plan->options;

	return options->view && !plan->ruleset && !plan->triggers && !options->read &&
	       !options->write && !options->no_pushdown && !options->budget && !options->summary &&
	       !options->count && !options->flight_ns && !options->flight_bytes &&
	       !has_captures(plan);
}

/*
 * Calls that have one event each, at their exit: not those of several messages, that make tasks,
 * execute or end programs, nor what generic events are of.
 */
static bool has_an_event_each(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	return desc && desc->category & EC_SYSCALL &&
	       !(desc->flags & (EF_RECORDED | EF_HAS_MESSAGES | EF_MAKES_TASK | EF_EXECS)) &&
	       id != EVENT_syscall && id != EVENT_bpf && id != EVENT_exit && id != EVENT_exit_group;
}

/* Whether rows say what the view asks, and by what they have to be told apart. */
static bool can_count(const struct plan *plan, uint32_t *by)
{
	const struct options *options = plan->options;
	/* Of each table but the first one the kernel knows no longest time of its own. */
	const bool is_one_table = options->view && !options->interval_ns &&
				  !options->view->interval_ns && !isatty(STDOUT_FILENO);

	return only_counts(plan) &&
	       views_counted_by(options->view, plan->filter, is_one_table, by) &&
	       /* On which CPU the process waited that becomes the command is not known. */
	       !(options->command && *by & BY_CPU);
}

bool pushdown_counts_kinds(const struct plan *plan)
{
	uint32_t by = 0;

	return can_count(plan, &by) && by & BY_KIND;
}

/* The kernel finds the descriptors of transfers. */
static bool has_a_known_kind(unsigned int id)
{
	const uint32_t flags = event_desc_get(id)->flags;

	return flags & EF_TRANSFERS || !(flags & (EF_USES_FD | EF_CREATES_FD | EF_DESTROYS_FD));
}

void pushdown_count(struct plan *plan)
{
	if (!can_count(plan, &plan->call_rows_by))
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		plan->counted[id] = plan->selection.events[id] == WHY_FILTER &&
				    has_an_event_each(id) &&
				    (!(plan->call_rows_by & BY_KIND) || has_a_known_kind(id));
	plan->counted[EVENT_runqueue] = plan->selection.events[EVENT_runqueue] == WHY_FILTER;
	plan->counted[EVENT_switch] = plan->call_rows_by & BY_THREAD &&
				      plan->selection.events[EVENT_switch] &&
				      !(plan->selection.events[EVENT_switch] &
					~(unsigned int)(WHY_FILTER | WHY_SWITCHES));
}
