/* SPDX-License-Identifier: MIT */
/*
 * A filter ready to run: flat code of jumps, each of which asks a check and says where to go on
 * when it is true and when it is false. There is a list of expressions for each type of event,
 * without what the type decides. What is asked more than once for an event is remembered.
 */
#ifndef SINSP_FILTER_PROGRAM_H
#define SINSP_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/expr/operand.h"
#include "sinsp/filter/filter.h"

struct filter_regex;
struct filter_set;
struct named_types;

/* The right side of a comparison. */
struct filter_constant {
	struct field_value value;
	uint8_t prefix; /* IPNET: bits of the network */
	struct filter_regex *regex; /* `regex` alone */
	struct named_types *types; /* that the constant means, when it is the name of one */
	bool globbed; /* `pmatch`: some component has wildcards */
};

/* One value of a field against one constant. */
typedef bool filter_compare(const struct field_value *value,
			    const struct filter_constant *constant);

/* The values of a side that several checks compare. */
struct filter_kept {
	struct filter_kept *next;
	uint64_t event; /* that they are of */
	int count; /* -1: none */
	struct field_value values[];
};

/* A side of a check. */
struct filter_side {
	struct filter_operand operand;
	unsigned int flags; /* of all its fields, also of those in transformers */
	bool counted; /* of ancestors: the test counts the index of the field up */
	struct filter_kept *kept; /* NULL: one check alone compares it */
};

/* Types of events: ids, and after them the codes of system calls, for the generic event. */
enum { FILTER_TYPE_CODES = EVENT_ID_MAX, FILTER_TYPES_COUNT = EVENT_ID_MAX + SYSCALL_CODES_COUNT };

struct filter_check;
typedef bool filter_test(struct filter *filter, const struct filter_check *check,
			 const struct sinsp_event *event);

struct filter_check {
	filter_test *test;
	struct filter_side *left; /* may be that of other checks, too */
	struct filter_side right;
	filter_compare *compare;
	bool negated; /* != is the opposite of = */
	enum filter_op op;
	enum filter_quantifier quantifier; /* over the constants */
	uint32_t nconstants;
	struct filter_constant *constants;
	struct filter_set *set; /* the same as the constants; NULL if they are few or not equal */
};

enum { FILTER_PASS = UINT32_MAX, FILTER_FAIL = UINT32_MAX - 1 };

/* An answer that is needed more than once for an event. */
struct filter_memo {
	uint64_t event; /* that it was found for */
	uint32_t entry; /* without check: where the code begins that finds it */
	bool answer;
};

struct filter_jump {
	filter_test *test; /* that of the check; NULL: the code of the memo */
	const struct filter_check *check;
	struct filter_memo *memo; /* NULL: asked only here */
	uint32_t on_true, on_false; /* index of the next jump, FILTER_PASS or FILTER_FAIL */
};

/* An expression that an event can satisfy, and what is left of it for events of that type. */
struct filter_choice {
	uint32_t item;
	uint32_t entry; /* of its code; FILTER_PASS: the type is enough */
};

/* All expressions that events of some type can satisfy, in order. */
struct filter_list {
	uint32_t count;
	struct filter_choice *choices;
};

/* What is known of an expression in advance. */
struct filter_item {
	unsigned int needs, flags;
	bool *named; /* by event id, see filter_names_event() */
};

struct filter {
	struct filter_jump *code; /* owned */
	size_t njumps, jumps_capacity;
	const struct filter_list *lists;
	size_t nlists;
	uint64_t event; /* counts events: what is known of others is out of date */
	struct filter_kept *kept; /* all that there are */
	size_t kept_bytes; /* those of the scratch memory that belong to kept values */
	struct filter_item *items;
	size_t nitems;
	struct filter_slot *slots;
	struct filter_ref *refs; /* of all operands */
	struct filter_regex *regexes;
	struct arena arena; /* everything above that is not said to be owned */
	const struct filter_list *list_of_type[FILTER_TYPES_COUNT]; /* equal ones are one */
	struct field_scratch scratch;
};

/* What the binder works with. */
struct filter_binder {
	struct filter *filter;
	const char *text;
	struct filter_options options;
	struct filter_error *err;
	uint16_t nslots; /* that the checks so far need */
};

#define BINDER_FAIL(binder, position, ...)                                                         \
	filter_error_set((binder)->err, (binder)->text, position, __VA_ARGS__)

/* Each returns 0, -EINVAL with the error set, or -ENOMEM. */

/*
 * Gives a check of the tree its meaning; `check` is zeroed, but for a left side that it has in
 * common with an earlier one.
 */
int filter_bind(struct filter_binder *binder, const struct filter_node *node,
		struct filter_check *check);

/* A constant for an operator whose left side is bound. */
int filter_bind_constant(struct filter_binder *binder, const struct filter_operand *left,
			 enum filter_op op, const struct filter_expr *expr,
			 struct filter_constant *constant);

/*
 * How an operator compares values of a type (with `!=` as `=`); NULL if it does not take them.
 */
filter_compare *filter_compare_of(enum param_type type, enum filter_op op);

/* Equal, or an older form of the same system call. */
bool filter_compare_type(const struct field_value *value, const struct filter_constant *constant);

/* Splits a path for `pmatch`: its components, each followed by a NUL, in one text. */
int filter_path_normalise(struct filter_text *path, struct arena *arena, bool *globbed);

/*
 * Tests of checks: `value` is a comparison with one constant, `values` with several; `operands` is
 * one with another field.
 */
filter_test filter_test_exists, filter_test_value, filter_test_values, filter_test_ancestors,
	filter_test_list, filter_test_operands;

/* The first choice that is this item or a later one; the end of the list if there is none. */
const struct filter_choice *filter_list_find(const struct filter_list *list, size_t item);

/* Starts on another event: nothing is known of it. */
static inline void filter_begin(struct filter *filter)
{
	filter->event++;
	filter->kept_bytes = 0;
}

/* The constants of a check for fast look-up, or NULL with 0 when their type does not allow it. */
int filter_set_create(struct arena *arena, enum param_type type,
		      const struct filter_constant *constants, uint32_t n, struct filter_set **set);
bool filter_set_has(const struct filter_set *set, const struct field_value *value);

#endif
