/* SPDX-License-Identifier: MIT */
/*
 * From tree to program. Checks stand in the order of the text; and, or and not only decide where
 * each goes on.
 */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/filter_program.h"
#include "sinsp/filter_regex.h"

/* Where a part of the program begins, and where it leads. */
struct place {
	uint32_t at, on_true, on_false;
};

static uint32_t count_checks(const struct filter_node *node)
{
	uint32_t n = 0;

	if (node->kind == FILTER_NODE_CHECK || node->kind == FILTER_NODE_NAME)
		return 1;
	for (const struct filter_node *child = node->first; child; child = child->next)
		n += count_checks(child);
	return n;
}

static int compile(struct filter_binder *binder, const struct filter_node *node,
		   struct place place);

/* All but the last go on to the next one: when true in `and`, when false in `or`. */
static int compile_joined(struct filter_binder *binder, const struct filter_node *node,
			  struct place place)
{
	for (const struct filter_node *child = node->first; child; child = child->next) {
		struct place inner = place;
		int rc;

		place.at += count_checks(child);
		if (child->next && node->kind == FILTER_NODE_AND)
			inner.on_true = place.at;
		else if (child->next)
			inner.on_false = place.at;
		rc = compile(binder, child, inner);
		if (rc)
			return rc;
	}
	return 0;
}

static int compile(struct filter_binder *binder, const struct filter_node *node, struct place place)
{
	struct place inverted = {place.at, place.on_false, place.on_true};
	struct filter_check *check = &binder->filter->checks[place.at];

	switch (node->kind) {
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
		return compile_joined(binder, node, place);
	case FILTER_NODE_NOT:
		return compile(binder, node->first, inverted);
	default:
		check->on_true = place.on_true;
		check->on_false = place.on_false;
		return filter_bind(binder, node, check);
	}
}

static int compile_program(struct filter_binder *binder, const struct filter_node *root)
{
	const struct place whole = {0, FILTER_PASS, FILTER_FAIL};
	struct filter *filter = binder->filter;
	int rc;

	filter->checks =
		arena_alloc(&filter->arena, count_checks(root) * sizeof(filter->checks[0]));
	if (!filter->checks)
		return -ENOMEM;
	rc = compile(binder, root, whole);
	if (rc)
		return rc;
	filter->slots = arena_alloc(&filter->arena, binder->nslots * sizeof(filter->slots[0]));
	return filter->slots ? filter_types_of_tree(filter, root) : -ENOMEM;
}

int filter_create(const char *text, const struct filter_options *options, struct filter **filter,
		  struct filter_error *err)
{
	struct filter_binder binder = {.text = text, .err = err};
	struct filter_node *root;
	int rc;

	if (options)
		binder.options = *options;
	binder.filter = calloc(1, sizeof(*binder.filter));
	if (!binder.filter)
		return -ENOMEM;
	rc = filter_parse(text, &binder.filter->arena, &root, err);
	if (rc == 0)
		rc = compile_program(&binder, root);
	if (rc) {
		filter_destroy(binder.filter);
		return rc;
	}
	*filter = binder.filter;
	return 0;
}

void filter_destroy(struct filter *filter)
{
	if (!filter)
		return;
	operand_refs_finish(filter->refs);
	filter_regex_free(filter->regexes);
	arena_finish(&filter->arena);
	free(filter);
}

unsigned int filter_flags(const struct filter *filter)
{
	unsigned int flags = 0;

	for (const struct filter_ref *ref = filter->refs; ref; ref = ref->next)
		flags |= ref->ref.desc->flags;
	return flags;
}

unsigned int filter_needs(const struct filter *filter)
{
	return filter->needs;
}
