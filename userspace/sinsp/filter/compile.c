/* SPDX-License-Identifier: MIT */
/*
 * From trees to a filter: terms, lists by type of event, code. A check alone is bound only to
 * validate it.
 */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/filter/filter.h"
#include "sinsp/filter/lists.h"
#include "sinsp/filter/program.h"
#include "sinsp/filter/regex.h"

/* Binds a check only to validate it. */

/* Whether a field in an expression, or in the arguments of a transformer, does not exist. */
static bool has_unknown_field(const struct filter_expr *expr)
{
	struct field_ref ref = {0};
	bool unknown;

	if (expr->kind == FILTER_EXPR_FIELD) {
		unknown = field_ref_init(&ref, expr->text.data, expr->text.len, NULL) == -ENOENT;
		field_ref_finish(&ref);
		return unknown;
	}
	for (const struct filter_expr *inner = expr->first; inner; inner = inner->next)
		if (has_unknown_field(inner))
			return true;
	return false;
}

int filter_check_node(const struct filter_node *check, const char *text,
		      const struct filter_options *options, bool *unknown_field,
		      struct filter_error *err)
{
	struct filter_binder binder = {.text = text, .options = *options, .err = err};
	struct filter_check bound = {0};
	int r;

	binder.filter = calloc(1, sizeof(*binder.filter));
	if (!binder.filter)
		return -ENOMEM;
	r = filter_bind(&binder, check, &bound);
	filter_destroy(binder.filter);
	if (r == -EINVAL)
		*unknown_field = has_unknown_field(check->left) ||
				 (check->right && has_unknown_field(check->right));
	return r;
}

/*
 * From trees to a filter. Trees become terms, equal ones the same term; terms are listed by type of
 * event and translated to code.
 */

/* The maximum nesting depth of expressions, shared trees included. */
enum { NESTING_MAX = 3000 };

struct compiler {
	struct filter_binder binder;
	struct filter_terms terms;
	/*
	 * Numbers of existing terms: of checks and their left sides by their text, of shared trees
	 * by their address.
	 */
	struct intern checks, operands, shared;
	struct buf text;
};

static int build(struct compiler *compiler, const struct filter_node *node, unsigned int depth,
		 uint32_t *ref);

/* The canonical text of a check, as the key of a table. */
static uint32_t *find_check(struct compiler *compiler, struct intern *table,
			    const struct filter_node *node)
{
	buf_clear(&compiler->text);
	filter_print(node, &compiler->text);
	return compiler->text.failed ? NULL
				     : intern(table, compiler->text.data, compiler->text.len);
}

/* From the second check on, the values of a side are kept. */
static int keep_values(struct filter *filter, struct filter_side *side)
{
	bool few = side->operand.field && !side->operand.list;
	size_t bytes = (few ? FIELD_ENDS_MAX : FIELD_VALUES_MAX) * sizeof(struct field_value);

	if (side->cached || side->counted)
		return 0;
	side->cached = arena_alloc(&filter->arena, sizeof(*side->cached) + bytes);
	if (!side->cached)
		return -ENOMEM;
	side->cached->next = filter->cached;
	filter->cached = side->cached;
	return 0;
}

/* The left side of a check, shared with an earlier one that has the same. */
static int find_left(struct compiler *compiler, const struct filter_node *node,
		     struct filter_check *check, uint32_t **number)
{
	struct filter_node alone = *node;

	/* Whatever the operator, the key of a left side is the check for its existence. */
	alone.op = FILTER_EXISTS;
	alone.right = NULL;
	*number = find_check(compiler, &compiler->operands, &alone);
	if (!*number)
		return -ENOMEM;
	if (!**number)
		return 0;
	check->left = filter_term_of(&compiler->terms, **number)->check->left;
	return keep_values(compiler->binder.filter, check->left);
}

static int compile_add_check(struct compiler *compiler, const struct filter_node *node,
			     uint32_t *ref)
{
	struct filter_binder *binder = &compiler->binder;
	struct filter_check *check = arena_alloc(&binder->filter->arena, sizeof(*check));
	struct filter_term term = {.check = check};
	uint32_t *left;
	int r = check ? find_left(compiler, node, check, &left) : -ENOMEM;

	if (r == 0)
		r = filter_bind(binder, node, check);
	if (r)
		return r;
	term.typed = filter_types_matter(check);
	r = filter_terms_add(&compiler->terms, &term, ref);
	if (r == 0 && !*left)
		*left = *ref;
	return r;
}

static int build_check(struct compiler *compiler, const struct filter_node *node, uint32_t *ref)
{
	uint32_t *known;
	int r = 0;

	if (node->kind == FILTER_NODE_NAME)
		return filter_bind(&compiler->binder, node, NULL);
	known = find_check(compiler, &compiler->checks, node);
	if (!known)
		return -ENOMEM;
	if (!*known)
		r = compile_add_check(compiler, node, known);
	*ref = *known;
	return r;
}

/* `or`: not all are false. */
static int build_joined(struct compiler *compiler, const struct filter_node *node,
			unsigned int depth, uint32_t *ref)
{
	uint32_t negation = node->kind == FILTER_NODE_OR;
	size_t base = compiler->terms.depth;
	int r = 0;

	for (const struct filter_node *child = node->first; r == 0 && child; child = child->next) {
		uint32_t part;

		r = build(compiler, child, depth, &part);
		if (r == 0)
			r = filter_terms_push(&compiler->terms, part ^ negation);
	}
	if (r == 0)
		r = filter_terms_join(&compiler->terms, base, ref);
	*ref ^= negation;
	return r;
}

/* A tree that may be shared; positions refer to its own text. */
static int build_shared(struct compiler *compiler, const struct filter_node *node,
			unsigned int depth, uint32_t *ref)
{
	const char *text = compiler->binder.text;
	uint32_t *known =
		intern(&compiler->shared, (const void *)&node->first, sizeof(node->first));
	int r = 0;

	if (!known)
		return -ENOMEM;
	*ref = *known;
	if (*ref)
		return 0;
	compiler->binder.text = node->text;
	r = build(compiler, node->first, depth, ref);
	compiler->binder.text = text;
	known = intern(&compiler->shared, (const void *)&node->first, sizeof(node->first));
	if (r == 0 && known)
		*known = *ref;
	return r;
}

static int fail_nesting(struct compiler *compiler, const struct filter_node *node)
{
	return BINDER_FAIL(&compiler->binder, node->position,
			   "macros stand in each other more than %d levels deep", NESTING_MAX);
}

static int build(struct compiler *compiler, const struct filter_node *node, unsigned int depth,
		 uint32_t *ref)
{
	int r;

	*ref = FILTER_TRUE;
	if (depth == NESTING_MAX)
		return fail_nesting(compiler, node);
	switch (node->kind) {
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
		r = build_joined(compiler, node, depth + 1, ref);
		break;
	case FILTER_NODE_NOT:
		r = build(compiler, node->first, depth + 1, ref);
		*ref ^= 1;
		break;
	case FILTER_NODE_SHARED:
		r = build_shared(compiler, node, depth + 1, ref);
		break;
	default:
		r = build_check(compiler, node, ref);
	}
	if (r == 0 && filter_term_of(&compiler->terms, *ref)->height > NESTING_MAX)
		return fail_nesting(compiler, node);
	return r;
}

/*
 * Collects the properties of all checks of an expression. negated: the filter requires the term to
 * be false.
 */
static void survey(struct compiler *compiler, uint32_t ref, bool negated, uint32_t mark,
		   struct filter_item *item)
{
	struct filter_term *term = filter_term_of(&compiler->terms, ref);
	const struct filter_check *check = term->check;

	negated ^= filter_term_is_negated(ref);
	if (term->mark[negated] == mark)
		return;
	term->mark[negated] = mark;
	for (uint32_t i = 0; i < term->nparts; i++)
		survey(compiler, term->parts[i], negated, mark, item);
	if (!check)
		return;
	item->needs |= check->left->operand.needs | check->right.operand.needs;
	item->flags |= check->left->flags | check->right.flags;
	if (!term->answers || term->names != (negated ? FILTER_ANSWER_NO : FILTER_ANSWER_YES))
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		item->named[id] |= term->answers[id] == term->names;
}

static int survey_items(struct compiler *compiler, const uint32_t *refs, size_t n)
{
	struct filter *filter = compiler->binder.filter;

	filter->items = arena_alloc(&filter->arena, n * sizeof(filter->items[0]));
	if (!filter->items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct filter_item *item = &filter->items[i];

		item->named = arena_alloc(&filter->arena, EVENT_ID_MAX * sizeof(item->named[0]));
		if (!item->named)
			return -ENOMEM;
		survey(compiler, refs[i], false, filter_terms_mark(&compiler->terms), item);
	}
	filter->nitems = n;
	return 0;
}

static int compile_items(struct compiler *compiler, const struct filter_group_item *items, size_t n,
			 size_t *failed_item)
{
	struct filter *filter = compiler->binder.filter;
	uint32_t *refs = arena_alloc(&compiler->terms.arena, n * sizeof(refs[0]));
	int r = refs ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++) {
		compiler->binder.text = items[i].text;
		r = build(compiler, items[i].root, 0, &refs[i]);
		if (r == -EINVAL)
			*failed_item = i;
	}
	if (r)
		return r;
	filter->regs =
		arena_alloc(&filter->arena, compiler->binder.nregs * sizeof(filter->regs[0]));
	r = filter->regs ? filter_types_answer(filter, &compiler->terms) : -ENOMEM;
	if (r == 0)
		r = survey_items(compiler, refs, n);
	if (r == 0)
		r = filter_lists_make(filter, &compiler->terms, refs, n);
	if (r)
		return r;
	filter->doubts = arena_alloc(&filter->arena, filter->njumps + 1);
	return filter->doubts ? 0 : -ENOMEM;
}

static int filter_compile(struct filter *filter, const struct filter_group_item *items, size_t n,
			  const struct filter_options *options, size_t *failed_item,
			  struct filter_error *err)
{
	struct compiler compiler = {.binder = {.filter = filter, .err = err}};
	int r = filter_terms_init(&compiler.terms);

	compiler.checks.arena = compiler.operands.arena = compiler.shared.arena =
		&compiler.terms.arena;
	if (options)
		compiler.binder.options = *options;
	if (r == 0)
		r = compile_items(&compiler, items, n, failed_item);
	intern_finish(&compiler.checks);
	intern_finish(&compiler.operands);
	intern_finish(&compiler.shared);
	filter_terms_finish(&compiler.terms);
	buf_finish(&compiler.text);
	return r;
}

int filter_group_create(const struct filter_group_item *items, size_t n,
			const struct filter_options *options, struct filter **filter,
			size_t *failed_item, struct filter_error *err)
{
	struct filter *made = calloc(1, sizeof(*made));
	int r = made ? filter_compile(made, items, n, options, failed_item, err) : -ENOMEM;

	if (r) {
		filter_destroy(made);
		return r;
	}
	*filter = made;
	return 0;
}

int filter_create(const char *text, const struct filter_options *options, struct filter **filter,
		  struct filter_error *err)
{
	struct filter *made = calloc(1, sizeof(*made));
	struct filter_group_item item = {.text = text};
	struct filter_node *root;
	size_t failed_item;
	int r = made ? filter_parse(text, &made->arena, &root, err) : -ENOMEM;

	if (r == 0) {
		item.root = root;
		r = filter_compile(made, &item, 1, options, &failed_item, err);
	}
	if (r) {
		filter_destroy(made);
		return r;
	}
	*filter = made;
	return 0;
}

void filter_destroy(struct filter *filter)
{
	if (!filter)
		return;
	operand_refs_finish(filter->refs);
	filter_regex_free(filter->regexes);
	free(filter->code);
	arena_finish(&filter->arena);
	free(filter);
}
