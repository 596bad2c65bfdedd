/* SPDX-License-Identifier: MIT */
/*
 * Rules at work: all conditions compiled together, the output of each, and how often each matched.
 */
#ifndef RULES_RULESET_H
#define RULES_RULESET_H

#include "rules/rules.h"
#include "sinsp/sinsp.h"

/* What is printed of an event that matches. */
enum ruleset_form {
	RULESET_JSON, /* "rule", "priority", "tags" and "output", then the fields of the event */
	RULESET_TEXT, /* the time, the priority and the output */
	RULESET_NOTHING,
};

struct ruleset_config {
	struct rules_options rules;
	const char *filter; /* events must satisfy this too, which is right; NULL: no such */
	enum ruleset_form form;
	struct text_style style; /* of the outputs; they are not coloured */
};

struct formatter;
struct ruleset;

/*
 * Loads, checks and compiles rules. Returns 0, -EINVAL with errors in the report, or -ENOMEM; the
 * report is to be finished in each case. Rules that every type of event, or none, can match are
 * warned of.
 */
int ruleset_create(const struct rules_input *inputs, size_t n, const struct ruleset_config *config,
		   struct ruleset **ruleset, struct rules_counts *counts,
		   struct rules_report *report);
void ruleset_destroy(struct ruleset *ruleset);

/* The conditions as one filter: what they want captured. Item i is rule i. */
struct filter *ruleset_filter(struct ruleset *ruleset);

size_t ruleset_count(const struct ruleset *ruleset);

/* The state that the outputs need: enum field_needs bits. */
unsigned int ruleset_needs(const struct ruleset *ruleset);

/*
 * The next rule, from `from` on, that the event satisfies, or FILTER_NONE: as filter_group_next().
 * It is counted.
 */
size_t ruleset_next(struct ruleset *ruleset, const struct sinsp_event *event, size_t from);

/*
 * Appends the line of a rule for an event, with the newline. fields: makes what else is printed of
 * the event; for JSON an object, of which the keys are taken; for text it may be NULL.
 */
void ruleset_append(struct ruleset *ruleset, size_t rule, const struct sinsp_event *event,
		    struct formatter *fields, struct buf *out);

/* Goes on counting where rules of the same names were before. */
void ruleset_continue(struct ruleset *ruleset, const struct ruleset *before);

/* The name of a rule, and how many events it was found to match. */
const char *ruleset_matches(const struct ruleset *ruleset, size_t rule, uint64_t *matches);

#endif
