/* SPDX-License-Identifier: MIT */
/*
 * Reads and checks rules files: lists, macros and rules in YAML, in the language of Falco. The
 * result has, for each rule to run, a tree of conditions and the output for its events.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "yaml/report.h"
#include "sinsp/sinsp.h"

/* The most serious one first. */
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

/* The source of rules: a file, or a text with the name `path`. */
struct rules_input {
	const char *path;
	const char *text; /* NULL: read the file */
	size_t len;
};

struct rules_tags {
	const char *const *list; /* borrowed */
	size_t count;
};

struct rules_options {
	struct filter_options filter;
	enum rules_priority least; /* less serious rules are left out, */
	struct rules_tags wanted; /* and those that have none of these, unless there are none, */
	struct rules_tags excluded; /* and those that have one of these; */
	struct rules_tags names; /* and those with other names, unless there are none */
};

struct rule {
	const char *name;
	const char *desc; /* "": none; may have newlines */
	const char *output; /* a format without the leading '*' */
	enum rules_priority priority;
	const char *const *tags;
	size_t ntags;
	const struct filter_node *root; /* its macros are shared with others */
	const char *text; /* the condition as written */
	const struct rules_entry *entry;
};

struct rules_counts {
	size_t rules, macros, lists; /* defined in the files */
	size_t disabled; /* of the rules: disabled */
	size_t foreign; /* with sources other than system calls */
	size_t unknown; /* left out as they request, because of an unknown field */
	size_t minor; /* below the least priority */
	size_t untagged; /* left out because of their tags */
};

struct rules; /* owns all memory that its rules point to */

/*
 * Reads and checks the inputs in their order. Returns 0; -EINVAL if there are errors, all in the
 * report; or -ENOMEM. The report also has warnings and notes; the caller finishes it in every case.
 * `counts` is set unless out of memory.
 */
int rules_load(const struct rules_input *inputs, size_t n, const struct rules_options *options,
	       struct rules **rules, struct rules_counts *counts, struct yaml_report *report);
void rules_destroy(struct rules *rules);

/* The rules that run, in the order in which they match. */
const struct rule *rules_list(const struct rules *rules, size_t *n);

/* "Warning". */
const char *rules_priority_name(enum rules_priority priority);

/* Parses a priority, ignoring case; "info" is accepted. Returns 0 or -EINVAL. */
int rules_priority_read(const char *text, enum rules_priority *priority);

/* The name of the most similar priority, or NULL. */
const char *rules_priority_nearest(const char *text);

#endif
