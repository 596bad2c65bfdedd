/* SPDX-License-Identifier: MIT */
/*
 * A parsed filter: the tree that the parser builds and the binder resolves, all of it in one arena;
 * how expressions are interpreted, and what is wrong with one.
 */
#ifndef SINSP_FILTER_TREE_H
#define SINSP_FILTER_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/buf.h"

/* What is wrong with an expression, and where. */

struct filter_error {
	size_t position; /* byte of the expression, from 0 */
	unsigned int line, column; /* from 1 */
	char text[256]; /* what is wrong, and the nearest valid word if there is one */
	const char *expression; /* borrowed: the text that the position refers to */
};

/* Describes what is wrong at a position of an expression, and returns -EINVAL. */
__attribute__((format(printf, 4, 5))) int filter_error_set(struct filter_error *err,
							   const char *text, size_t position,
							   const char *format, ...);

/* Appends the message, the line of the expression that is wrong, and a caret under the column. */
void filter_error_render(const char *text, const struct filter_error *err, struct buf *out);

/* How expressions are interpreted, and who receives warnings about them. */

struct filter_options {
	bool exact_types; /* evt.type=open matches only open, not openat and openat2 */
	/*
	 * Called for each part of the expression that is accepted, but was probably not intended;
	 * NULL: no warnings.
	 */
	void (*warn)(void *context, const struct filter_error *warning);
	void *warn_context;
};

/* Reports to `warn`, if set, something that is accepted, but was probably not intended. */
__attribute__((format(printf, 4, 5))) void filter_warn(const struct filter_options *options,
						       const char *text, size_t position,
						       const char *format, ...);

/*
 * A parsed filter: the tree that the parser builds and the binder resolves. All of it is allocated
 * in one arena.
 */

enum filter_op {
	FILTER_EXISTS,
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,
	FILTER_IN,
	FILTER_INTERSECTS,
	FILTER_PMATCH,
	FILTER_GLOB,
	FILTER_IGLOB,
	FILTER_CONTAINS,
	FILTER_ICONTAINS,
	FILTER_BCONTAINS,
	FILTER_STARTSWITH,
	FILTER_BSTARTSWITH,
	FILTER_ENDSWITH,
	FILTER_REGEX,
	FILTER_OPS_COUNT,
};

/* How many elements of a list must satisfy an operator. */
enum filter_quantifier { FILTER_NO_QUANTIFIER, FILTER_ANY_OF, FILTER_ALL_OF, FILTER_ONE_OF };

enum filter_call_kind {
	FILTER_TOLOWER,
	FILTER_TOUPPER,
	FILTER_B64,
	FILTER_BASENAME,
	FILTER_LEN,
	FILTER_JOIN,
	FILTER_CONCAT,
	FILTER_GETOPT,
	FILTER_CALLS_COUNT,
};

/* Bytes, followed by a NUL. */
struct filter_text {
	const char *data;
	size_t len;
};

enum filter_expr_kind {
	FILTER_EXPR_TEXT, /* a constant, without quotes and escapes */
	FILTER_EXPR_FIELD, /* as written, argument included */
	FILTER_EXPR_LIST,
	FILTER_EXPR_CALL, /* a transformer */
};

struct filter_expr {
	enum filter_expr_kind kind;
	size_t position;
	struct filter_text text; /* TEXT, FIELD */
	enum filter_call_kind call; /* CALL */
	struct filter_text selector; /* CALL: the text in brackets after it; NULL: none */
	size_t selector_position;
	struct filter_expr *first; /* CALL: its arguments; LIST: its elements */
	struct filter_expr *next;
};

enum filter_node_kind {
	FILTER_NODE_AND,
	FILTER_NODE_OR,
	FILTER_NODE_NOT,
	FILTER_NODE_CHECK,
	FILTER_NODE_NAME, /* a single identifier */
	/*
	 * A resolved identifier: `first` is the root of another tree (a macro), which several nodes
	 * may share. Made from NAME by the caller that knows the name.
	 */
	FILTER_NODE_SHARED,
};

struct filter_node {
	enum filter_node_kind kind;
	size_t position;
	struct filter_node *first; /* AND, OR: at least two; NOT, SHARED: one */
	struct filter_node *next;
	struct filter_text name; /* NAME, SHARED */
	const char *text; /* SHARED: what `first` was parsed from, for positions of errors */
	/* CHECK */
	struct filter_expr *left, *right; /* right: NULL for `exists` */
	enum filter_op op;
	enum filter_quantifier quantifier;
	size_t op_position;
};

/*
 * Longer expressions are rejected: they are not written by hand, and the time to compile must be
 * bounded.
 */
enum { FILTER_BYTES_MAX = 1 << 18 };

/* Parses a whole expression. Returns 0, -EINVAL with `err` set, or -ENOMEM. */
int filter_parse(const char *text, struct arena *arena, struct filter_node **root,
		 struct filter_error *err);

/*
 * Parses the field or transformer at `position` of a text, whatever follows it: `end` is set to the
 * position after it. Returns 0, -EINVAL with `err` set, or -ENOMEM.
 */
int filter_parse_operand(const char *text, size_t position, struct arena *arena,
			 struct filter_expr **expr, size_t *end, struct filter_error *err);

/* Appends the canonical text, which parses to the same tree. */
void filter_print(const struct filter_node *node, struct buf *out);

/* The spelling of operators and other words. */
const char *filter_op_name(enum filter_op op);
const char *filter_call_name(enum filter_call_kind call);

#endif
