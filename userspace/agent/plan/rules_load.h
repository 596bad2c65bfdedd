/* SPDX-License-Identifier: MIT */
/* The rules that the options name: found, loaded, and what is said about them. */
#ifndef AGENT_PLAN_RULES_LOAD_H
#define AGENT_PLAN_RULES_LOAD_H

#include "agent/options/options.h"
#include "rules/ruleset.h"

/*
 * Loads the rules of the options; of folders all files *.yaml and *.yml by name. What there is to
 * say about them (errors, warnings, for check-rules -v notes) is appended to `messages` in whole
 * lines. Returns 0, -EINVAL when there are errors, or another -errno.
 */
int rules_load_options(const struct options *options, enum ruleset_form form,
		       const struct text_style *style, struct ruleset **ruleset,
		       struct rules_counts *counts, struct buf *messages);

/* Appends "87 rules (3 disabled, 2 about other sources), 300 macros, 120 lists". */
void rules_append_summary(const struct rules_counts *counts, struct buf *out);

#endif
