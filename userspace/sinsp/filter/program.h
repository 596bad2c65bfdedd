/* SPDX-License-Identifier: MIT */
/*
 * A compiled filter: flat code of jumps, each of which evaluates a check and continues at one of
 * two jumps. Each type of event has a list of expressions, without the parts that the type decides,
 * and a long list has an index.
 * Results needed more than once for an event are cached.
 */
#ifndef SINSP_FILTER_PROGRAM_H
#define SINSP_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/filter/operand.h"
#include "sinsp/filter/filter.h"

struct filter_regex;
struct value_table;
struct type_names;
struct filter_index;

/* The right side of a comparison. */
struct filter_constant {
	struct field_value value;
	uint8_t prefix; /* IPNET: bits of the network */
	struct filter_regex *regex; /* only for `regex` */
	struct type_names *types; /* the types that the constant names, if any */
	bool globbed; /* `pmatch`: a component has wildcards */
};

/* Compares one value of a field with one constant. */
typedef bool filter_compare(const struct field_value *value,
			    const struct filter_constant *constant);

/* The cached values of a side that several checks compare. */
struct filter_cached {
	struct filter_cached *next;
	uint64_t event; /* the event they belong to */
	int count; /* -1: none */
	unsigned int cut; /* as in struct field_scratch */
	struct field_value values[];
};

/* A side of a check. */
struct filter_side {
	struct filter_operand operand;
	unsigned int flags; /* of all its fields, including those in transformers */
	bool counted; /* of ancestors: the test increments the index of the field */
	struct filter_cached *cached; /* NULL: only one check compares it */
};

/* Types of events: ids, followed by the codes of system calls for the generic event. */
enum { FILTER_TYPE_CODES = EVENT_ID_MAX, FILTER_TYPES_COUNT = EVENT_ID_MAX + SYSCALL_CODES_COUNT };

struct filter_check;
typedef bool filter_test(struct filter *filter, const struct filter_check *check,
			 const struct state_event *event);

struct filter_check {
	filter_test *test;
	struct filter_side *left; /* may be shared with other checks */
	struct filter_side right;
	filter_compare *compare;
	bool negated; /* != is the opposite of = */
	enum filter_op op;
	enum filter_quantifier quantifier; /* over the constants */
	uint32_t nconstants;
	struct filter_constant *constants;
	struct value_table *table; /* of the constants; NULL if few, or not for equality */
};

enum { FILTER_PASS = UINT32_MAX, FILTER_FAIL = UINT32_MAX - 1 };

/* A cached result that is needed more than once for an event. */
struct filter_memo {
	uint64_t event; /* the event it belongs to */
	uint32_t entry; /* without check: the entry of its code */
	bool answer;
	uint8_t doubt; /* the same where parts are missing: see doubt.h */
	uint64_t doubt_event; /* the event it belongs to */
};

struct filter_jump {
	filter_test *test; /* of the check; NULL: run the code of the memo */
	const struct filter_check *check;
	struct filter_memo *memo; /* NULL: not shared */
	uint32_t on_true, on_false; /* index of the next jump, FILTER_PASS or FILTER_FAIL */
};

/* An expression that events of a type can satisfy, and the rest of it for that type. */
struct filter_choice {
	uint32_t item;
	uint32_t entry; /* of its code; FILTER_PASS: the type suffices */
};

/* All expressions that events of some type can satisfy, in order. */
struct filter_list {
	uint32_t count;
	struct filter_choice *choices;
	const struct filter_index *index; /* NULL: each choice is evaluated */
};

/* Properties of an expression, known before any event. */
struct filter_item {
	unsigned int needs, flags;
	bool *named; /* by event id, see filter_names_event() */
};

struct filter {
	struct filter_jump *code; /* owned */
	size_t njumps, jumps_capacity;
	const struct filter_list *lists;
	size_t nlists;
	uint64_t event; /* counts events: cached results of others are outdated */
	uint8_t *doubts; /* by jump; only while an event is evaluated again, see doubt.h */
	bool is_unknown; /* see filter_is_unknown() */
	struct filter_cached *cached; /* list of all */
	uint64_t *candidates; /* bits of the choices that the event may satisfy, of an index */
	size_t cached_bytes; /* of the scratch memory, used by cached values */
	struct filter_item *items;
	size_t nitems;
	struct filter_register *regs;
	struct filter_ref *refs; /* of all operands */
	struct filter_regex *regexes;
	const struct kernel_filters *kernel_part;
	struct arena arena; /* all of the above that is not marked as owned */
	const struct filter_list *list_of_type[FILTER_TYPES_COUNT]; /* equal lists are shared */
	struct field_scratch scratch;
};

/* The state of the binder. */
struct filter_binder {
	struct filter *filter;
	const char *text;
	struct filter_options options;
	struct filter_error *err;
	uint16_t nregs; /* needed by the checks so far */
};

#define BINDER_FAIL(binder, position, ...)                                                         \
	filter_error_set((binder)->err, (binder)->text, position, __VA_ARGS__)

/* Each returns 0, -EINVAL with the error set, or -ENOMEM. */

/*
 * Resolves a check of the tree; `check` is zeroed, except for a left side that it shares with an
 * earlier one.
 */
int filter_bind(struct filter_binder *binder, const struct filter_node *node,
		struct filter_check *check);

/* Resolves a constant for an operator whose left side is bound. */
int filter_bind_constant(struct filter_binder *binder, const struct filter_operand *left,
			 enum filter_op op, const struct filter_expr *expr,
			 struct filter_constant *constant);

/*
 * The function that compares values of a type (for `!=` that of `=`); NULL if the operator rejects
 * the type.
 */
filter_compare *filter_compare_of(enum param_type type, enum filter_op op);

/* Equal, or an older form of the same system call. */
bool filter_compare_type(const struct field_value *value, const struct filter_constant *constant);

/* Splits a path for `pmatch` into its components, each NUL-terminated, in one text. */
int filter_path_normalise(struct filter_text *path, struct arena *arena, bool *globbed);

/*
 * Tests of checks: `value` compares with one constant, `values` with several, `operands` with
 * another field.
 */
filter_test filter_test_exists, filter_test_value, filter_test_values, filter_test_ancestors,
	filter_test_list, filter_test_operands;

/* The first choice that is this item or a later one; the end of the list if there is none. */
const struct filter_choice *filter_list_find(const struct filter_list *list, size_t item);

/* The values of a side, until the next call, and how many, or -1. */
int filter_side_values(struct filter *filter, const struct filter_side *side,
		       const struct state_event *event, const struct field_value **values);

/* Starts a new event: invalidates all cached results. */
static inline void filter_begin(struct filter *filter)
{
	filter->event++;
	filter->cached_bytes = 0;
	filter->scratch.cut = 0;
	filter->is_unknown = false;
}

/* The constants of a check for fast look-up, or NULL with 0 if their type does not allow it. */
int value_table_create(struct arena *arena, enum param_type type,
		       const struct filter_constant *constants, uint32_t n,
		       struct value_table **table);
bool value_table_has(const struct value_table *table, const struct field_value *value);

#endif
