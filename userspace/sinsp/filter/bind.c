/* SPDX-License-Identifier: MIT */
/*
 * Binding of checks: resolves the fields, validates the operator for their type, converts the
 * constants, and chooses the function that evaluates the check.
 */
#include <errno.h>
#include <string.h>

#include "sinsp/filter/lex.h"
#include "sinsp/fields/type_names.h"
#include "sinsp/filter/program.h"

enum { SET_MIN = 8, NS_PER_MS = 1000000 };

static const char *type_noun(enum param_type type)
{
	switch (type) {
	case PT_CHARBUF:
	case PT_FSPATH:
	case PT_FSRELPATH:
		return "text";
	case PT_BYTEBUF:
		return "bytes";
	case PT_BOOL:
		return "true or false";
	case PT_IPADDR:
		return "an IP address";
	case PT_IPNET:
		return "an IP network";
	default:
		return param_type_size(type) ? "a number" : "of a type that cannot be compared";
	}
}

static int fail_operator(struct filter_binder *binder, const struct filter_node *node,
			 const struct filter_operand *left)
{
	const char *op = filter_op_name(node->op);

	if (left->list)
		return BINDER_FAIL(binder, node->op_position,
				   "operator '%s' cannot be used with a list, only 'in', "
				   "'intersects' and 'exists' can",
				   op);
	return BINDER_FAIL(binder, node->op_position,
			   "operator '%s' cannot be used here: the left side is %s", op,
			   type_noun(left->type));
}

/* `exists`, and tests that iterate over lists and ancestors. */
static filter_test *test_of_shape(const struct filter_node *node, const struct filter_side *left)
{
	if (left->counted)
		return filter_test_ancestors;
	if (node->op == FILTER_EXISTS)
		return filter_test_exists;
	if (left->operand.list && node->op != FILTER_EQ && node->op != FILTER_NE)
		return filter_test_list;
	return filter_test_values;
}

/* Lists are only iterated over; one reduced to a single value by its argument can be compared. */
static bool takes_list(enum filter_op op, const struct filter_operand *left)
{
	if (op == FILTER_EQ || op == FILTER_NE)
		return left->field && left->field->has_arg;
	return op == FILTER_IN || op == FILTER_INTERSECTS;
}

static int bind_side(struct filter_binder *binder, const struct filter_expr *expr, uint16_t reg,
		     struct filter_side *side)
{
	struct filter *filter = binder->filter;
	const struct filter_ref *others = filter->refs;
	const struct operand_binder operands = {&filter->arena, &filter->refs, binder->text,
						binder->err};
	int r = operand_bind(&operands, expr, reg, &side->operand);

	if (r)
		return r;
	for (const struct filter_ref *ref = filter->refs; ref != others; ref = ref->next)
		side->flags |= ref->ref.desc->flags;
	if (side->operand.regs_end > binder->nregs)
		binder->nregs = side->operand.regs_end;
	return 0;
}

static int bind_left(struct filter_binder *binder, const struct filter_expr *expr,
		     struct filter_side **left)
{
	struct filter_side *made = arena_alloc(&binder->filter->arena, sizeof(*made));
	int r = made ? bind_side(binder, expr, 0, made) : -ENOMEM;
	struct field_ref *field;

	if (r)
		return r;
	field = made->operand.field;
	if (field && (field->desc->flags & FIELD_ANCESTORS) && !field->has_arg)
		made->counted = field->has_arg = true;
	*left = made;
	return 0;
}

static int bind_right_operand(struct filter_binder *binder, const struct filter_node *node,
			      struct filter_check *check)
{
	const struct filter_operand *left = &check->left->operand, *right = &check->right.operand;
	int r = bind_side(binder, node->right, left->regs_end, &check->right);

	if (r)
		return r;
	if (node->op == FILTER_PMATCH || node->op == FILTER_REGEX)
		return BINDER_FAIL(binder, node->op_position,
				   "operator '%s' needs a constant on its right",
				   filter_op_name(node->op));
	if (left->flags & FIELD_NO_RHS)
		return BINDER_FAIL(binder, node->left->position,
				   "'%.60s' can be compared with constants only",
				   left->field ? left->field->desc->name : "this field");
	if ((right->flags & FIELD_NO_RHS) || right->type == PT_IPNET)
		return BINDER_FAIL(binder, node->right->position,
				   "'%.60s' cannot stand on the right of an operator",
				   right->field ? right->field->desc->name : "this field");
	if (left->type != right->type || left->list != right->list)
		return BINDER_FAIL(binder, node->right->position,
				   "both sides must be of one type: the left side is %s%s, the "
				   "right side %s%s",
				   left->list ? "a list of " : "", type_noun(left->type),
				   right->list ? "a list of " : "", type_noun(right->type));
	check->test = filter_test_operands;
	return 0;
}

/* A field name on the right is a text: only val() yields its value. */
static void warn_of_field_name(struct filter_binder *binder, const struct filter_expr *expr)
{
	struct field_ref ref;

	if (!binder->options.warn || filter_lex_field(expr->text.data) == 0 ||
	    field_ref_init(&ref, expr->text.data, expr->text.len, NULL))
		return;
	field_ref_finish(&ref);
	filter_warn(&binder->options, binder->text, expr->position,
		    "'%.60s' is the name of a field, but stands for a text here; for the value of "
		    "the field write val(%.60s)",
		    expr->text.data, expr->text.data);
}

/* "in word" is a list of one text; the name of a list would have been replaced. */
static void warn_of_list_name(struct filter_binder *binder, const struct filter_expr *list)
{
	if (list->kind != FILTER_EXPR_LIST || !list->first ||
	    list->first->position != list->position)
		return;
	filter_warn(
		&binder->options, binder->text, list->position,
		"there is no list '%.60s': it stands for a text; if that is meant, write (%.60s)",
		list->first->text.data, list->first->text.data);
}

static bool bind_is_equality(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op == FILTER_IN || op == FILTER_INTERSECTS;
}

/*
 * Whether a constant must be a word of the field: for equality, and for all operators on event
 * types.
 */
static bool is_word_checked(const struct field_ref *field, enum filter_op op)
{
	const struct field_words *words = field ? field->desc->words : NULL;

	return words && (bind_is_equality(op) ||
			 ((field->desc->flags & FIELD_NAMES_TYPES) && !words->lenient));
}

static int fail_word(struct filter_binder *binder, const struct field_desc *field,
		     const struct filter_expr *expr, const char *nearest)
{
	const char *question = nearest ? "; did you mean '" : "", *end = nearest ? "'?" : "";

	nearest = nearest ? nearest : "";
	if (field->flags & FIELD_NAMES_TYPES)
		return BINDER_FAIL(binder, expr->position, "unknown event type '%.60s'%s%s%s",
				   expr->text.data, question, nearest, end);
	return BINDER_FAIL(binder, expr->position, "%s is never '%.60s'%s%s%s", field->name,
			   expr->text.data, question, nearest, end);
}

static int check_word(struct filter_binder *binder, const struct field_desc *field,
		      const struct filter_expr *expr)
{
	char nearest[64];

	if (field_words_have(field->words, expr->text.data))
		return 0;
	if (field_words_nearest(field->words, expr->text.data, nearest))
		return fail_word(binder, field, expr, nearest);
	if (!field->words->lenient)
		return fail_word(binder, field, expr, NULL);
	filter_warn(&binder->options, binder->text, expr->position, "%s is never '%.60s'",
		    field->name, expr->text.data);
	return 0;
}

/*
 * Whether a name is in the constants twice: more duplicates are skipped, because each type is
 * compared with all constants; for `oneof` two suffice.
 */
static bool is_there_twice(const struct filter_check *check, const struct filter_text *name)
{
	uint32_t times = 0;

	for (uint32_t i = 0; i < check->nconstants && times < 2; i++)
		times += strcmp(check->constants[i].value.bytes.data, name->data) == 0;
	return times == 2;
}

static int bind_constants(struct filter_binder *binder, const struct filter_node *node,
			  struct filter_check *check)
{
	bool is_list = node->right->kind == FILTER_EXPR_LIST;
	const struct filter_expr *first = is_list ? node->right->first : node->right;
	const struct field_ref *field = check->left->operand.field;
	bool checked = is_word_checked(field, node->op);
	bool are_names = checked && (field->desc->flags & FIELD_NAMES_TYPES);
	uint32_t n = 0;

	for (const struct filter_expr *expr = first; expr; expr = expr->next)
		n++;
	check->constants =
		arena_alloc(&binder->filter->arena, (n + 1) * sizeof(check->constants[0]));
	if (!check->constants)
		return -ENOMEM;
	warn_of_list_name(binder, node->right);
	for (const struct filter_expr *expr = first; expr; expr = expr->next) {
		int r = filter_bind_constant(binder, &check->left->operand, node->op, expr,
					     &check->constants[check->nconstants]);

		if (r == 0 && checked)
			r = check_word(binder, field->desc, expr);
		if (r)
			return r;
		warn_of_field_name(binder, expr);
		check->nconstants += !are_names || !is_there_twice(check, &expr->text);
	}
	return 0;
}

/* Long lists become hash tables: equal to any element, or different from all. */
static int make_set(struct filter_binder *binder, struct filter_check *check)
{
	enum filter_quantifier needed = check->negated ? FILTER_ALL_OF : FILTER_ANY_OF;

	if (check->nconstants < SET_MIN || !bind_is_equality(check->op) ||
	    check->quantifier != needed)
		return 0;
	return value_table_create(&binder->filter->arena, check->left->operand.type,
				  check->constants, check->nconstants, &check->table);
}

/* `evt.around[T] = MS`: the field is a distance in ns. */
static int bind_within(struct filter_binder *binder, const struct filter_node *node,
		       struct filter_check *check)
{
	uint64_t *limit;
	int r;

	if (node->op != FILTER_EQ || node->quantifier || node->right->kind != FILTER_EXPR_TEXT)
		return BINDER_FAIL(binder, node->op_position,
				   "this field takes '= MILLISECONDS' and nothing else");
	r = bind_constants(binder, node, check);
	if (r)
		return r;
	limit = &check->constants[0].value.u64;
	*limit = *limit > UINT64_MAX / NS_PER_MS ? UINT64_MAX : *limit * NS_PER_MS;
	check->compare = filter_compare_of(PT_UINT64, FILTER_LE);
	check->quantifier = FILTER_ANY_OF;
	return 0;
}

/* Raw parameters: as bytes they can only be tested for existence. */
static bool is_raw_bytes(const struct filter_operand *operand)
{
	return operand->field && operand->field->desc->type == PT_DYN &&
	       operand->type == PT_BYTEBUF;
}

static int find_types(struct filter_binder *binder, struct filter_check *check)
{
	struct type_names *types =
		arena_alloc(&binder->filter->arena, check->nconstants * sizeof(types[0]));

	if (!types)
		return -ENOMEM;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		check->constants[i].types = &types[i];
		type_names_init(&types[i], check->constants[i].value.bytes.data);
	}
	return 0;
}

static int bind_comparison(struct filter_binder *binder, const struct filter_node *node,
			   struct filter_check *check)
{
	const struct filter_operand *left = &check->left->operand;
	int r;

	check->compare = filter_compare_of(left->type, node->op);
	if (!check->compare || is_raw_bytes(left) || (left->list && !takes_list(node->op, left)))
		return fail_operator(binder, node, left);
	check->negated = node->op == FILTER_NE;
	check->quantifier = node->quantifier ? node->quantifier : FILTER_ANY_OF;
	if (node->right->kind == FILTER_EXPR_FIELD || node->right->kind == FILTER_EXPR_CALL)
		return bind_right_operand(binder, node, check);
	r = bind_constants(binder, node, check);
	if (r)
		return r;
	if (check->test == filter_test_values && check->nconstants == 1)
		check->test = filter_test_value;
	if (left->field && (left->flags & FIELD_NAMES_TYPES) && bind_is_equality(node->op) &&
	    !binder->options.exact_types) {
		check->compare = filter_compare_type;
		return find_types(binder, check);
	}
	return make_set(binder, check);
}

static int fail_name(struct filter_binder *binder, const struct filter_node *node)
{
	const char *nearest = field_nearest(node->name.data, node->name.len);

	if (nearest)
		return BINDER_FAIL(binder, node->position,
				   "unexpected identifier '%.60s'; did you mean '%s'?",
				   node->name.data, nearest);
	return BINDER_FAIL(
		binder, node->position,
		"unexpected identifier '%.60s': no field, and macros are for rules files",
		node->name.data);
}

int filter_bind(struct filter_binder *binder, const struct filter_node *node,
		struct filter_check *check)
{
	int r = 0;

	if (node->kind == FILTER_NODE_NAME)
		return fail_name(binder, node);
	check->op = node->op;
	if (!check->left)
		r = bind_left(binder, node->left, &check->left);
	if (r)
		return r;
	check->test = test_of_shape(node, check->left);
	if (node->op == FILTER_EXISTS)
		return 0;
	if (check->left->operand.field && (check->left->operand.flags & FIELD_WITHIN_MS))
		return bind_within(binder, node, check);
	return bind_comparison(binder, node, check);
}
