/* SPDX-License-Identifier: MIT */
/*
 * The definitions of all files, by kind and name, built from the items that define, append and
 * replace; texts of their values, which keep where each byte is from. Shared by the steps that
 * build the rules; only for this folder and its tests.
 */
#ifndef RULES_DEFS_H
#define RULES_DEFS_H

#include "sinsp/sinsp.h"
#include "yaml/report.h"
#include "yaml/tree.h"

/* A text joined from values of YAML files, which keeps the origin of each byte. */

struct rules_piece {
	struct rules_piece *next;
	size_t at; /* where it begins in the text */
	const struct yaml_node *node;
};

struct rules_text {
	const char *data; /* followed by a NUL; NULL until it is joined */
	size_t len;
	struct rules_piece *first, **end;
};

/* Appends a value, after a space unless it is the first. Returns 0 or -ENOMEM. */
int rules_text_add(struct rules_text *text, struct arena *arena, const struct yaml_node *node);

/* Joins the values to one text. Returns 0 or -ENOMEM. */
int rules_text_join(struct rules_text *text, struct arena *arena);

/* The file and offset from which a byte of the text originates. */
const struct yaml_file *rules_text_place(const struct rules_text *text, size_t at, size_t *offset);

/* Adds a message about a position of the text, which must have a piece, to the report. */
__attribute__((format(printf, 5, 6))) void
rules_text_report(struct yaml_report *report, enum yaml_severity severity,
		  const struct rules_text *text, size_t position, const char *format, ...);

enum rules_kind { RULES_LIST, RULES_MACRO, RULES_RULE, RULES_KINDS_COUNT };

/* The keys of an item, besides its name. */
enum rules_key {
	KEY_ITEMS,
	KEY_CONDITION,
	KEY_DESC,
	KEY_OUTPUT,
	KEY_PRIORITY,
	KEY_TAGS,
	KEY_EXCEPTIONS,
	KEY_ENABLED,
	KEY_SOURCE,
	KEY_WARN_EVTTYPES,
	KEY_SKIP_UNKNOWN,
	KEY_CAPTURE,
	KEY_CAPTURE_DURATION,
	KEY_APPEND,
	KEY_OVERRIDE,
	RULES_KEYS_COUNT,
};

/* A value, or one appended to it. */
struct rules_part {
	struct rules_part *next;
	const struct yaml_node *value;
};

/* All values of a key, in their order. */
struct rules_parts {
	struct rules_part *first, *last;
};

struct rules_entry;

/* A reference from a list, macro or rule to another one. */
struct rules_ref {
	struct rules_ref *next;
	struct rules_entry *to;
	struct filter_node *node; /* its place in a condition, or */
	const struct yaml_node *item; /* in a list */
};

/* A check of a condition, with the text to which its positions refer. */
struct rules_check {
	struct rules_check *next;
	struct filter_node *node;
	const struct rules_text *text;
};

/* A value of an expanded list, with its YAML node. */
struct rules_value {
	struct filter_text text;
	const struct yaml_node *node;
};

/* The most important user of a macro; decides the severity of its errors. */
enum rules_demand {
	DEMAND_NONE, /* nothing refers to it */
	DEMAND_FOREIGN, /* rules with other sources than system calls */
	DEMAND_IDLE, /* rules that are disabled, or left out if unknown fields occur */
	DEMAND_RUNNING,
};

struct rules_entry {
	struct rules_entry *next; /* in the order of the first definitions */
	enum rules_kind kind;
	const char *name;
	const struct yaml_node *where; /* its name in the last definition */
	struct rules_parts parts[RULES_KEYS_COUNT]; /* empty: no such key */
	bool broken; /* has a reported error; its users are not checked */
	bool unknown_field; /* it has an unknown field, or a macro that it names has */

	struct rules_ref *refs; /* names that it uses */
	enum { UNSEEN, OPEN, DONE } seen; /* for rules_graph_order() */
	struct rules_entry *parent, *ordered;
	struct rules_ref *cursor;
	enum rules_demand demand;
	bool used;

	struct rules_value *values; /* LIST */
	size_t nvalues;

	struct rules_text text; /* MACRO, RULE: the condition, */
	struct filter_node *root; /* its tree, or NULL, */
	struct rules_check *checks; /* its own checks, macros aside, */
	unsigned int depth; /* and the depth of its tree, macros included */

	struct rules_text output; /* RULE */
};

struct rules_defs {
	struct arena arena; /* owns all memory of the definitions */
	struct yaml_report *report;
	struct rules_entry *first, **end;
	size_t counts[RULES_KINDS_COUNT];
	void *index; /* of tsearch(3) */
	size_t expanded; /* number of values of lists inserted elsewhere so far */
	size_t guesses; /* comparisons of names with misspelt ones */
};

void rules_defs_init(struct rules_defs *defs, struct yaml_report *report);
void rules_defs_finish(struct rules_defs *defs);

/* "list", "macro", "rule". */
const char *rules_kind_name(enum rules_kind kind);

struct rules_entry *rules_defs_find(const struct rules_defs *defs, enum rules_kind kind,
				    const char *name);

/* The name of that kind most similar to a text, or NULL; also NULL after very many calls. */
const char *rules_defs_nearest(struct rules_defs *defs, enum rules_kind kind, const char *text,
			       size_t len);

/* Creates an entry, which must not exist yet; NULL if out of memory. */
struct rules_entry *rules_defs_add(struct rules_defs *defs, enum rules_kind kind,
				   const struct yaml_node *name);

/* The last value of a key that has one, or NULL. */
const struct yaml_node *rules_entry_value(const struct rules_entry *entry, enum rules_key key);

/* The boolean value of a key; `otherwise` if it is absent. */
bool rules_entry_flag(const struct rules_entry *entry, enum rules_key key, bool otherwise);

/* Whether the source of a rule is system calls. */
bool rules_entry_is_about_syscalls(const struct rules_entry *rule);

/* Adds a check to those to be bound. Returns 0 or -ENOMEM. */
int rules_entry_add_check(struct rules_defs *defs, struct rules_entry *entry,
			  struct filter_node *node, const struct rules_text *text);

/* A value as the filter language reads it: without quotes inside. Returns 0 or -ENOMEM. */
int rules_value_text(struct rules_defs *defs, const struct yaml_node *node,
		     struct filter_text *text);

/* Adds the reference `ref` to `from`. Returns 0 or -ENOMEM. */
int rules_graph_add(struct rules_defs *defs, struct rules_entry *from, const struct rules_ref *ref);

/*
 * Sorts the entries of kinds (bits), linked by `ordered`, such that each follows those that it
 * names. Cycles are reported, and their entries marked as broken.
 */
struct rules_entry *rules_graph_order(struct rules_defs *defs, unsigned int kinds);

/* Reverses the order. */
struct rules_entry *rules_graph_reverse(struct rules_entry *first);

/*
 * The steps, in their order, after all items are read. Each returns 0 or -ENOMEM; errors are in the
 * report.
 */
int rules_lists_expand(struct rules_defs *defs);
int rules_conditions_parse(struct rules_defs *defs);
int rules_conditions_link(struct rules_defs *defs, const struct filter_options *options);

/* Adds notes about exceptions that anybody can have apply to him; for conditions without errors. */
void rules_claims_note(struct rules_defs *defs);

/* Parts of these steps. */

/* Copies the values of a list as constants at a position of a condition; sets `*end`. */
int rules_list_insert(struct rules_defs *defs, const struct rules_entry *list, size_t position,
		      struct filter_expr ***end);

/* Adds the exceptions of a rule to its condition. */
int rules_exceptions_add(struct rules_defs *defs, struct rules_entry *rule);

/* Maximum for the values of an expanded list, and for those of all uses of lists together. */
enum { RULES_VALUES_MAX = 1 << 20 };

#define RULES_REPORT(defs, severity, node, ...)                                                    \
	yaml_report_add((defs)->report, severity, (node)->file, (node)->start, __VA_ARGS__)

/* Reads the items of rules files into the definitions. */

/*
 * Reads the items of a document. Errors are added to the report; the valid items take effect.
 * Returns 0 or -ENOMEM.
 */
int rules_items_read(struct rules_defs *defs, const struct yaml_node *root);

#endif
