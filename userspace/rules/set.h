/* SPDX-License-Identifier: MIT */
/*
 * The definitions of all files, by kind and name, put together from the items that define, append
 * and replace. Shared by the steps that make rules of them; only for this folder and its tests.
 */
#ifndef RULES_SET_H
#define RULES_SET_H

#include "rules/text.h"
#include "rules/yaml_tree.h"
#include "sinsp/sinsp.h"

enum rules_kind { RULES_LIST, RULES_MACRO, RULES_RULE, RULES_KINDS_COUNT };

/* What an item may say, besides its name. */
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

/* A value, or one that was appended to it. */
struct rules_part {
	struct rules_part *next;
	const struct yaml_node *value;
};

/* All values of a key, in their order. */
struct rules_parts {
	struct rules_part *first, *last;
};

struct rules_entry;

/* That a list, macro or rule names another one. */
struct rules_ref {
	struct rules_ref *next;
	struct rules_entry *to;
	struct filter_node *node; /* where it stands in a condition, or */
	const struct yaml_node *item; /* in a list */
};

/* One check of a condition, with the text that its positions are of. */
struct rules_check {
	struct rules_check *next;
	struct filter_node *node;
	const struct rules_text *text;
};

/* A list with the lists in it expanded; a value has the node that it was written as. */
struct rules_value {
	struct filter_text text;
	const struct yaml_node *node;
};

/* For whom a macro is; what is wrong with it is said accordingly. */
enum rules_demand {
	DEMAND_NONE, /* nobody names it */
	DEMAND_FOREIGN, /* rules about other things than system calls */
	DEMAND_IDLE, /* rules that are disabled, or left out when they are wrong */
	DEMAND_RUNNING,
};

struct rules_entry {
	struct rules_entry *next; /* in the order of first definitions */
	enum rules_kind kind;
	const char *name;
	const struct yaml_node *where; /* its name in the last definition */
	struct rules_parts parts[RULES_KEYS_COUNT]; /* empty: not said */
	bool broken; /* an error of it was told; what depends on it is not checked */
	bool unknown_field; /* by a field that is not known here; also of a macro that it names */

	struct rules_ref *refs; /* what it names */
	enum { UNSEEN, OPEN, DONE } seen; /* for rules_graph_order() */
	struct rules_entry *parent, *ordered;
	struct rules_ref *cursor;
	enum rules_demand demand;
	bool used;

	struct rules_value *values; /* LIST */
	size_t nvalues;

	struct rules_text text; /* MACRO, RULE: the condition, */
	struct filter_node *root; /* its tree, NULL without, */
	struct rules_check *checks; /* its own checks, macros aside, */
	unsigned int depth; /* and how deep it is, macros included */

	struct rules_text output; /* RULE */
};

struct rules_set {
	struct arena arena; /* all that is in here */
	struct rules_report *report;
	struct rules_entry *first, **end;
	size_t counts[RULES_KINDS_COUNT];
	void *index; /* of tsearch(3) */
	size_t expanded; /* values of lists that stand in other places, so far */
	size_t guesses; /* names that were compared with misspelt ones */
};

void rules_set_init(struct rules_set *set, struct rules_report *report);
void rules_set_finish(struct rules_set *set);

/* "list", "macro", "rule". */
const char *rules_kind_name(enum rules_kind kind);

struct rules_entry *rules_set_find(const struct rules_set *set, enum rules_kind kind,
				   const char *name);

/* The name of that kind nearest to a text, or NULL; NULL too after very many such questions. */
const char *rules_set_nearest(struct rules_set *set, enum rules_kind kind, const char *text,
			      size_t len);

/* Makes an entry that is not there yet; NULL if out of memory. */
struct rules_entry *rules_set_add(struct rules_set *set, enum rules_kind kind,
				  const struct yaml_node *name);

/* The last value of a key that has one, or NULL. */
const struct yaml_node *rules_entry_value(const struct rules_entry *entry, enum rules_key key);

/* Reads "true", "no" and the like; false if it is no such word. */
bool rules_bool_read(const struct yaml_node *node, bool *value);

/* What a key that is true or false says; `otherwise` when it is not there. */
bool rules_entry_flag(const struct rules_entry *entry, enum rules_key key, bool otherwise);

/* Whether the source of a rule is that of system calls. */
bool rules_entry_is_about_syscalls(const struct rules_entry *rule);

/* Adds a check to those that are to be bound. Returns 0 or -ENOMEM. */
int rules_entry_add_check(struct rules_set *set, struct rules_entry *entry,
			  struct filter_node *node, const struct rules_text *text);

/*
 * A value as the filter language means it: quotes that stand in it are taken off. Returns 0 or
 * -ENOMEM.
 */
int rules_value_text(struct rules_set *set, const struct yaml_node *node, struct filter_text *text);

/* Adds that `from` names `to`. Returns 0 or -ENOMEM. */
int rules_graph_add(struct rules_set *set, struct rules_entry *from, const struct rules_ref *ref);

/*
 * Puts the entries of kinds (bits) in an order, linked by `ordered`, in which each comes after
 * those that it names. Circles are told in the report, and entries in them broken.
 */
struct rules_entry *rules_graph_order(struct rules_set *set, unsigned int kinds);

/* The same entries from the last to the first. */
struct rules_entry *rules_graph_reverse(struct rules_entry *first);

/*
 * The steps, in their order, once all items are there. Each returns 0 or -ENOMEM; what is wrong is
 * in the report.
 */
int rules_lists_expand(struct rules_set *set);
int rules_conditions_parse(struct rules_set *set);
int rules_conditions_link(struct rules_set *set, const struct filter_options *options);

/* Parts of these steps. */

/* Copies of the values of a list, as constants at a position of a condition; `*end` is set. */
int rules_list_insert(struct rules_set *set, const struct rules_entry *list, size_t position,
		      struct filter_expr ***end);

/* Adds what the exceptions of a rule mean to its condition. */
int rules_exceptions_add(struct rules_set *set, struct rules_entry *rule);

/* No list may expand to more values, nor all uses of lists together. */
enum { RULES_VALUES_MAX = 1 << 20 };

#define RULES_TELL(set, severity, node, ...)                                                       \
	rules_report_add((set)->report, severity, (node)->file, (node)->start, __VA_ARGS__)

#endif
