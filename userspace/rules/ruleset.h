/* SPDX-License-Identifier: MIT */
/*
 * Compiled rules: all conditions in one filter, the output of each rule, and how often it matched.
 */
#ifndef RULES_RULESET_H
#define RULES_RULESET_H

#include "rules/rules.h"
#include "sinsp/sinsp.h"

struct ruleset_line {
	const struct output_format *format;
	const struct schema *schema; /* NULL: the native one */
};

struct ruleset_config {
	struct rules_options rules;
	bool recorded; /* events may be those of a capture file, which has types that only files
			  have */
	const char *filter; /* valid; events must satisfy this, too; NULL: none */
	const struct ruleset_line *lines; /* for matching events, each rule has all of them */
	size_t lines_count; /* at least one */
	struct text_style style; /* of the outputs; they are not coloured */
	/*
	 * A format, valid: what %container.info means in outputs; it is appended to those without.
	 * NULL: the container's id and name, and nothing is appended.
	 */
	const char *container_info;
};

struct formatter;
struct ruleset;

/*
 * Loads, checks and compiles rules. Returns 0, -EINVAL with errors in the report, or -ENOMEM; the
 * caller finishes the report in every case. The report has warnings for rules that all types of
 * events, or none, can match.
 */
int ruleset_create(const struct rules_input *inputs, size_t n, const struct ruleset_config *config,
		   struct ruleset **ruleset, struct rules_counts *counts,
		   struct yaml_report *report);
void ruleset_destroy(struct ruleset *ruleset);

/* The conditions as one filter, for the selection of events. Item i is rule i. */
struct filter *ruleset_filter(struct ruleset *ruleset);

size_t ruleset_count(const struct ruleset *ruleset);

/* The state that the outputs need: enum field_needs bits. */
unsigned int ruleset_needs(const struct ruleset *ruleset);

/*
 * The next matching rule from `from` on, or FILTER_NONE, as filter_group_next(). Counts the match.
 */
size_t ruleset_next(struct ruleset *ruleset, const struct state_event *event, size_t from);

enum rules_priority ruleset_priority(const struct ruleset *ruleset, size_t rule);

/* To be called before ruleset_append(): whose secrets the line hides, see there. */
void ruleset_set_hider(struct ruleset *ruleset, size_t rule, size_t line,
		       const struct text_hider *hider);

/*
 * Appends the line of a rule with the index `line` for an event, with the newline, as
 * match_line_append(). fields: a formatter of the same format and schema for further fields of the
 * event, or NULL if it has no line of its own (format->matches.with_fields).
 */
void ruleset_append(struct ruleset *ruleset, size_t rule, size_t line,
		    const struct state_event *event, struct formatter *fields, struct buf *out);

/* Takes over the counts of the rules with the same names in `before`. */
void ruleset_continue(struct ruleset *ruleset, const struct ruleset *before);

/* What the file says of a rule. */
const struct rule *ruleset_rule(const struct ruleset *ruleset, size_t rule);

/* The name of a rule, and the number of its matches. */
const char *ruleset_matches(const struct ruleset *ruleset, size_t rule, uint64_t *matches);

/* How many of its matches are none for sure: see filter_is_unknown(). */
uint64_t ruleset_undecided(const struct ruleset *ruleset, size_t rule);

#endif
