/* SPDX-License-Identifier: MIT */
/*
 * A plan: the compiled filter or rules, and the events to capture for them. Needs no privileges.
 * Plans are immutable: new rules need another plan.
 */
#ifndef AGENT_PLAN_PLAN_H
#define AGENT_PLAN_PLAN_H

#include "agent/options/options.h"
#include "agent/plan/printer.h"
#include "agent/plan/selection.h"
#include "requests/requests.h"
#include "rules/ruleset.h"
#include "util/error.h"

struct plan {
	const struct options *options; /* borrowed, or those of `renewed` */
	struct options *renewed; /* owned: options of a reload; NULL: none */
	const struct printer *printer; /* borrowed */
	char *filter_text; /* owned: the filter of the options, and those of the outputs; or NULL */
	struct filter *filter; /* NULL: everything passes; with rules, their filter */
	struct ruleset *ruleset; /* NULL: without rules */
	struct rules_counts rules_counts;
	/* Owned: the rules of --on-rule, which are no part of the filter; NULL: there are none. */
	struct ruleset *triggers;
	struct selection trigger_selection; /* what they need; a part of the next */
	struct selection selection;
	struct kernel_filters kernel_filters; /* what the kernel decides of the filter */
	bool counted[EVENT_ID_MAX]; /* calls that the kernel counts in place of their events */
	uint32_t call_rows_by; /* by what, beside the event: enum call_rows_by bits */
	bool without_rings; /* operations of io_uring are not shown, and change nothing that is */
	bool rejects_groups; /* kernel_filters has events of which control groups decide */
	bool needs_containers; /* descriptions of containers; false for a capture file */
	bool needs_pods; /* the same of pods, from Kubernetes */
	bool of_unknown; /* requests are made of unknown protocols, too */
	struct requests_unwanted unwanted; /* of which sockets the filter wants no requests */
	bool needs_symbols; /* samples have them */
	bool needs_services; /* the same of services: of all of the cluster */
	bool needs_translations; /* of addresses that clients connect to */
};

/*
 * Compiles the filter, loads the rules and selects the events, for what `printer` prints. Warnings,
 * and errors in rules, are appended to `messages` as whole lines. Returns 0 or -errno with a
 * message.
 */
int plan_create(const struct options *options, const struct printer *printer, struct plan **plan,
		struct buf *messages, struct error *err);

/*
 * Creates another plan, with the current rules from their files. options: new ones, on the heap,
 * taken over in every case; NULL: those of the plan. Messages are as of plan_create(). Returns 0
 * or -errno with a message.
 */
int plan_renew(const struct plan *plan, struct options *options, const struct printer *printer,
	       struct plan **renewed, struct buf *messages, struct error *err);

/* Whether only events of some processes, and of their children, are captured. */
static inline bool plan_chooses(const struct plan *plan)
{
	return !plan->options->no_pushdown && (plan->options->pids_count || plan->options->command);
}

/* Whether the filter or a rule asks for what only operations of io_uring have. */
bool plan_compares_uring(const struct plan *plan);

void plan_destroy(struct plan *plan); /* accepts NULL */

/* Rejects a filter that no event of a live capture can pass: -EINVAL with a message, or 0. */
int plan_check_filter(const struct filter *filter, struct error *err);

#endif
