/* SPDX-License-Identifier: MIT */
/*
 * What is wanted of events: the filter or the rules, compiled, and which events the kernel has to
 * capture for them. Needs no privilege. A plan is not changed: new rules make another one.
 */
#ifndef AGENT_PLAN_PLAN_H
#define AGENT_PLAN_PLAN_H

#include "agent/options/options.h"
#include "agent/plan/printer.h"
#include "agent/plan/selection.h"
#include "rules/ruleset.h"
#include "util/error.h"

struct plan {
	const struct options *options; /* borrowed */
	const struct printer *printer; /* borrowed */
	struct filter *filter; /* NULL: everything passes; with rules, theirs */
	struct ruleset *ruleset; /* NULL: without rules */
	struct rules_counts rules_counts;
	struct selection selection;
};

/*
 * Compiles the filter, loads the rules and selects the events, for what `printer` prints. Warnings,
 * and errors in rules, are appended to `messages` as whole lines, for people. Returns 0 or -errno
 * with a message.
 */
int plan_create(const struct options *options, const struct printer *printer, struct plan **plan,
		struct buf *messages, struct error *err);

/* Another plan of the same options, with the rules as they are now in their files. As above. */
int plan_renew(const struct plan *plan, struct plan **renewed, struct buf *messages,
	       struct error *err);

void plan_destroy(struct plan *plan); /* accepts NULL */

#endif
