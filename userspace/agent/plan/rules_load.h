/* SPDX-License-Identifier: MIT */
/* Finds and loads the rules that the options name, with messages. */
#ifndef AGENT_PLAN_RULES_LOAD_H
#define AGENT_PLAN_RULES_LOAD_H

#include "agent/options/options.h"
#include "agent/plan/printer.h"
#include "rules/ruleset.h"

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
