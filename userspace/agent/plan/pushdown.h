/* SPDX-License-Identifier: MIT */
/*
 * What a plan is made of besides: rules that are loaded, and what the kernel decides of the filter.
 */
#ifndef AGENT_PLAN_PUSHDOWN_H
#define AGENT_PLAN_PUSHDOWN_H

#include "agent/options/options.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "rules/ruleset.h"

/* For which events the kernel may decide its part of the filter: those that nothing else needs. */

/* Fills the plan's kernel_filters and `unwanted`, after its events were selected. */
void pushdown_make(struct plan *plan);

/* Of a view: fills what the kernel counts in place of events. */
void pushdown_count(struct plan *plan);

/*
 * Whether it does, and finds what descriptors are: what events open is not needed for that, and
 * what few calls stay events have descriptors that are not known.
 */
bool pushdown_counts_kinds(const struct plan *plan);

/* Finds and loads the rules that the options name, with messages. */

/*
 * Loads the rules of the options, for lines in the format and style of `printer`, whose formatter
 * is not used; events must also pass `filter` (NULL: all do). Of folders all files *.yaml and
 * *.yml, sorted by name. Errors, warnings and, for check-rules -v, notes are appended to `messages`
 * as whole lines. Returns 0, -EINVAL if there are errors, or another -errno.
 */
int rules_load_options(const struct options *options, const struct printer *printer,
		       const char *filter, struct ruleset **ruleset, struct rules_counts *counts,
		       struct buf *messages);

/* Appends "87 rules (3 disabled, 2 about other sources), 300 macros, 120 lists". */
void rules_append_summary(const struct rules_counts *counts, struct buf *out);

#endif
