/* SPDX-License-Identifier: MIT */
/*
 * A filter ready to run: a flat array of checks, each of which says where to go on when it is true
 * and when it is false. Only for filter_*.c and their tests.
 */
#ifndef SINSP_FILTER_PROGRAM_H
#define SINSP_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/filter.h"
#include "sinsp/filter_operand.h"

struct filter_regex;
struct filter_set;

/* The right side of a comparison. */
struct filter_constant {
	struct field_value value;
	uint8_t prefix; /* IPNET: bits of the network */
	struct filter_regex *regex; /* `regex` alone */
	bool globbed; /* `pmatch`: some component has wildcards */
};

/* One value of a field against one constant. */
typedef bool filter_compare(const struct field_value *value,
			    const struct filter_constant *constant);

/* Which event types: ids by event id; codes of system calls, for the generic event. */
struct filter_types {
	bool ids[EVENT_ID_MAX];
	bool codes[SYSCALL_CODES_COUNT];
};

struct filter_check;
typedef bool filter_test(struct filter *filter, const struct filter_check *check,
			 const struct sinsp_event *event);

struct filter_check {
	filter_test *test;
	uint32_t on_true, on_false; /* index of the next check, FILTER_PASS or FILTER_FAIL */
	const struct filter_types *types; /* decided by the type alone: the answers */
	struct filter_operand left, right;
	filter_compare *compare;
	bool negated; /* != is the opposite of = */
	enum filter_op op;
	enum filter_quantifier quantifier; /* over the constants */
	uint32_t nconstants;
	struct filter_constant *constants;
	struct filter_set *set; /* the same as the constants; NULL when they are few or not equal */
};

enum { FILTER_PASS = UINT32_MAX, FILTER_FAIL = UINT32_MAX - 1 };

struct filter {
	struct filter_check *checks;
	unsigned int needs;
	struct filter_slot *slots;
	struct filter_ref *refs; /* of all operands */
	struct filter_regex *regexes;
	struct filter_types types; /* what it can let through */
	bool named[EVENT_ID_MAX]; /* see filter_names_event() */
	struct arena arena; /* everything above */
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

/* Gives a check of the tree its meaning; `check` is zeroed. */
int filter_bind(struct filter_binder *binder, const struct filter_node *node,
		struct filter_check *check);

/* A constant for an operator on values of `type`. */
int filter_bind_constant(struct filter_binder *binder, enum param_type type, enum filter_op op,
			 const struct filter_expr *expr, struct filter_constant *constant);

/*
 * How an operator compares values of a type (with `!=` as `=`); NULL when it does not take them.
 */
filter_compare *filter_compare_of(enum param_type type, enum filter_op op);

/* Equal, or an older form of the same system call. */
bool filter_compare_family(const struct field_value *value, const struct filter_constant *constant);

/* Splits a path for `pmatch`: its components, each with a NUL behind, in one text. */
int filter_path_normalise(struct filter_text *path, struct arena *arena, bool *globbed);

/*
 * Tests of checks: `value` is a comparison with one constant, `values` with several; `operands` is
 * one with another field.
 */
filter_test filter_test_types, filter_test_exists, filter_test_value, filter_test_values,
	filter_test_ancestors, filter_test_list, filter_test_operands;

/*
 * Finds out which types of events can be let through, and which checks the type alone decides. The
 * program is complete; its checks are in the order of the tree.
 */
int filter_types_of_tree(struct filter *filter, const struct filter_node *root);

/* The constants of a check for fast look-up, or NULL with 0 when their type does not allow it. */
int filter_set_create(struct arena *arena, enum param_type type,
		      const struct filter_constant *constants, uint32_t n, struct filter_set **set);
bool filter_set_has(const struct filter_set *set, const struct field_value *value);

#endif
