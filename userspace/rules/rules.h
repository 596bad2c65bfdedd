/* SPDX-License-Identifier: MIT */
/*
 * Rules files: lists, macros and rules in YAML, in the language of Falco, read and checked; what
 * comes out is a tree of conditions for each rule that is to run, and what is printed for its
 * events.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "rules/report.h"
#include "sinsp/sinsp.h"

/* From the most serious one down. */
enum rules_priority {
	PRIORITY_EMERGENCY,
	PRIORITY_ALERT,
	PRIORITY_CRITICAL,
	PRIORITY_ERROR,
	PRIORITY_WARNING,
	PRIORITY_NOTICE,
	PRIORITY_INFORMATIONAL,
	PRIORITY_DEBUG,
	PRIORITIES_COUNT,
};

/* What rules are read from: a file, or a text that is called by `path`. */
struct rules_input {
	const char *path;
	const char *text; /* NULL: the file */
	size_t len;
};

struct rules_options {
	struct filter_options filter;
	enum rules_priority least; /* less serious rules are left out */
};

struct rule {
	const char *name;
	const char *output; /* a format without the leading '*' */
	enum rules_priority priority;
	const char *const *tags;
	size_t ntags;
	const struct filter_node *root; /* its macros are shared with others */
	const char *text; /* the condition as written */
	const struct rules_entry *entry;
};

struct rules_counts {
	size_t rules, macros, lists; /* that the files define */
	size_t disabled; /* of the rules: not enabled */
	size_t foreign; /* about other sources than system calls */
	size_t unknown; /* left out for a field that is not known, as they ask for */
	size_t minor; /* below the least priority */
};

struct rules; /* owns all that its rules point at */

/*
 * Reads and checks the inputs in their order. Returns 0; -EINVAL when there are errors, all of them
 * in the report; or -ENOMEM. The report, in which warnings and notes are too, is to be finished in
 * each case. `counts` is set unless memory ran out.
 */
int rules_load(const struct rules_input *inputs, size_t n, const struct rules_options *options,
	       struct rules **rules, struct rules_counts *counts, struct rules_report *report);
void rules_destroy(struct rules *rules);

/* The rules that run, in the order in which they match. */
const struct rule *rules_list(const struct rules *rules, size_t *n);

/* "Warning". */
const char *rules_priority_name(enum rules_priority priority);

/* Reads a priority in any case of letters, "info" too. Returns 0 or -EINVAL. */
int rules_priority_read(const char *text, enum rules_priority *priority);

/* The name of a priority that was probably meant, or NULL. */
const char *rules_priority_nearest(const char *text);

#endif
