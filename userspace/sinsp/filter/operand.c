/* SPDX-License-Identifier: MIT */
/*
 * Binding of operands: fields are looked up, transformers checked, and both turned into a sequence
 * of steps over registers, arguments before the transformer that uses them.
 */
#include <errno.h>
#include <string.h>

#include "sinsp/filter/operand.h"

enum { REGS_MAX = 1024 };

#define OPERAND_FAIL(binder, position, ...)                                                        \
	filter_error_set((binder)->err, (binder)->text, position, __VA_ARGS__)

/* An operand while it is bound. */
struct side {
	const struct operand_binder *binder;
	struct filter_operand *operand;
};

/* How many steps an operand can need: an element of a list may be turned into text. */
static size_t count_steps(const struct filter_expr *expr)
{
	size_t n = 1;

	for (const struct filter_expr *child = expr->first; child; child = child->next)
		n += count_steps(child) + 1;
	return n;
}

/* The arguments of a step that puts its result into `reg`. */
static struct filter_step *add_step(struct side *side, filter_step_run *run, uint16_t reg,
				    uint16_t nregs)
{
	struct filter_operand *operand = side->operand;
	struct filter_step *step = &operand->steps[operand->nsteps++];

	step->run = run;
	step->reg = reg;
	if (reg + nregs > operand->regs_end)
		operand->regs_end = reg + nregs;
	return step;
}

static int bind_field(struct side *side, const struct filter_expr *expr, uint16_t reg,
		      struct filter_shape *shape)
{
	const struct operand_binder *binder = side->binder;
	struct filter_ref *made = arena_alloc(binder->arena, sizeof(*made));
	struct error err;
	int r;

	if (!made)
		return -ENOMEM;
	r = field_ref_init(&made->ref, expr->text.data, expr->text.len, binder->err ? &err : NULL);
	if (r == -ENOMEM)
		return r;
	if (r)
		return OPERAND_FAIL(binder, expr->position, "%.250s", err.text);
	made->next = *binder->refs;
	*binder->refs = made;
	side->operand->needs |= field_ref_needs(&made->ref);
	add_step(side, NULL, reg, 1)->ref = &made->ref;
	shape->type = made->ref.type;
	shape->list = made->ref.desc->flags & FIELD_LIST;
	shape->flags = made->ref.desc->flags;
	return 0;
}

static int bind_text(struct side *side, const struct filter_expr *expr, uint16_t reg,
		     struct filter_shape *shape)
{
	if (memchr(expr->text.data, '\0', expr->text.len))
		return OPERAND_FAIL(side->binder, expr->position, "the value has a NUL byte");
	add_step(side, filter_step_constant, reg, 1)->text = expr->text;
	*shape = (struct filter_shape){.type = PT_CHARBUF};
	return 0;
}

static int bind_any(struct side *side, const struct filter_expr *expr, uint16_t reg,
		    struct filter_shape *shape);

/* An argument or element: like an operand, but not all fields are accepted. */
static int bind_inner(struct side *side, const struct filter_expr *expr, size_t reg,
		      struct filter_shape *shape)
{
	int r;

	if (reg >= REGS_MAX)
		return OPERAND_FAIL(side->binder, expr->position, "too many arguments");
	r = bind_any(side, expr, (uint16_t)reg, shape);
	if (r == 0 && (shape->flags & FIELD_NO_TRANSFORMER))
		r = OPERAND_FAIL(side->binder, expr->position,
				 "field '%.60s' cannot be given to a transformer", expr->text.data);
	return r;
}

/* A literal list: all its elements become text. */
static int bind_list(struct side *side, const struct filter_expr *expr, uint16_t reg,
		     struct filter_shape *shape)
{
	uint16_t n = 0;

	*shape = (struct filter_shape){.type = PT_CHARBUF, .list = true};
	for (const struct filter_expr *item = expr->first; item; item = item->next, n++) {
		struct filter_shape inner;
		int r = bind_inner(side, item, (size_t)reg + n, &inner);

		if (r)
			return r;
		if (n == FIELD_VALUES_MAX)
			return OPERAND_FAIL(side->binder, item->position, "too many elements");
		if (!filter_has_text(inner.type))
			return OPERAND_FAIL(side->binder, item->position,
					    "this element of the list has no text");
		if (param_type_size(inner.type))
			add_step(side, filter_step_text, reg + n, 1)->type = inner.type;
		shape->flags |= inner.flags;
	}
	add_step(side, filter_step_list, reg, 1)->nargs = n;
	return 0;
}

static int check_selector(struct side *side, const struct filter_expr *expr)
{
	if (!expr->selector.data)
		return 0;
	if (!filter_transformers[expr->call].selector)
		return OPERAND_FAIL(side->binder, expr->position,
				    "transformer '%s' takes nothing in brackets",
				    filter_call_name(expr->call));
	if (expr->selector.len != 1)
		return OPERAND_FAIL(side->binder, expr->position,
				    "transformer '%s' takes one character in brackets",
				    filter_call_name(expr->call));
	return 0;
}

static int bind_call(struct side *side, const struct filter_expr *expr, uint16_t reg,
		     struct filter_shape *shape)
{
	const struct filter_transformer *transformer = &filter_transformers[expr->call];
	const char *name = filter_call_name(expr->call);
	struct filter_shape args[FIELD_VALUES_MAX];
	struct filter_step *step;
	uint16_t n = 0;
	int r = check_selector(side, expr);

	for (const struct filter_expr *arg = expr->first; r == 0 && arg; arg = arg->next, n++) {
		if (n == transformer->args_max)
			return OPERAND_FAIL(side->binder, arg->position,
					    "transformer '%s' takes no more than %u argument%s",
					    name, n, n == 1 ? "" : "s");
		r = bind_inner(side, arg, (size_t)reg + n, &args[n]);
	}
	if (r)
		return r;
	if (n < transformer->args_min)
		return OPERAND_FAIL(side->binder, expr->position,
				    "transformer '%s' needs %u arguments", name,
				    transformer->args_min);
	if (!transformer->shape(args, n, expr->selector.data != NULL, shape))
		return OPERAND_FAIL(side->binder, expr->position, "transformer '%s' takes %s", name,
				    transformer->takes);
	step = add_step(side, transformer->run, reg, n + transformer->scratch);
	step->type = args[0].type;
	step->list = args[0].list;
	step->nargs = n;
	step->text = expr->selector;
	return 0;
}

static int bind_any(struct side *side, const struct filter_expr *expr, uint16_t reg,
		    struct filter_shape *shape)
{
	switch (expr->kind) {
	case FILTER_EXPR_FIELD:
		return bind_field(side, expr, reg, shape);
	case FILTER_EXPR_CALL:
		return bind_call(side, expr, reg, shape);
	case FILTER_EXPR_LIST:
		return bind_list(side, expr, reg, shape);
	case FILTER_EXPR_TEXT:
		return bind_text(side, expr, reg, shape);
	}
	return -EINVAL;
}

int operand_bind(const struct operand_binder *binder, const struct filter_expr *expr, uint16_t reg,
		 struct filter_operand *operand)
{
	struct side side = {binder, operand};
	size_t nsteps = count_steps(expr);
	struct filter_shape shape;
	int r;

	if (nsteps > UINT16_MAX)
		return OPERAND_FAIL(binder, expr->position, "too many arguments");
	operand->steps = arena_alloc(binder->arena, nsteps * sizeof(operand->steps[0]));
	if (!operand->steps)
		return -ENOMEM;
	operand->reg = reg;
	r = bind_any(&side, expr, reg, &shape);
	if (r)
		return r;
	operand->type = shape.type;
	operand->list = shape.list;
	operand->flags = shape.flags;
	if (expr->kind == FILTER_EXPR_FIELD)
		operand->field = operand->steps[0].ref;
	return 0;
}

void operand_refs_finish(struct filter_ref *refs)
{
	for (struct filter_ref *ref = refs; ref; ref = ref->next)
		field_ref_finish(&ref->ref);
}
