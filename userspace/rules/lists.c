/* SPDX-License-Identifier: MIT */
/* Expands the lists that lists name. */
#include <errno.h>
#include <string.h>

#include "rules/defs.h"

static const struct rules_part *parts_of(const struct rules_entry *list)
{
	return list->parts[KEY_ITEMS].first;
}

/* The list that an item names, or NULL. An item with the name of its own list is a text. */
static struct rules_entry *named_list(const struct rules_defs *defs, const struct rules_entry *list,
				      const struct yaml_node *item)
{
	struct rules_entry *named = rules_defs_find(defs, RULES_LIST, item->text);

	return named == list ? NULL : named;
}

static int find_refs(struct rules_defs *defs, struct rules_entry *list)
{
	int code = 0;

	for (const struct rules_part *part = parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link && code == 0;
		     link = link->next) {
			struct rules_ref ref = {.to = named_list(defs, list, link->value),
						.item = link->value};

			if (ref.to)
				code = rules_graph_add(defs, list, &ref);
		}
	}
	return code;
}

static size_t count_values(const struct rules_defs *defs, const struct rules_entry *list)
{
	size_t n = 0;

	for (const struct rules_part *part = parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link; link = link->next) {
			const struct rules_entry *inner = named_list(defs, list, link->value);

			n += inner ? inner->nvalues : 1;
		}
	}
	return n;
}

static int fill_values(struct rules_defs *defs, struct rules_entry *list)
{
	int code = 0;

	for (const struct rules_part *part = parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link && code == 0;
		     link = link->next) {
			const struct rules_entry *inner = named_list(defs, list, link->value);
			struct rules_value *value = &list->values[list->nvalues];

			if (inner) {
				if (inner->nvalues)
					memcpy(value, inner->values,
					       inner->nvalues * sizeof(*value));
				list->nvalues += inner->nvalues;
				continue;
			}
			code = rules_value_text(defs, link->value, &value->text);
			value->node = link->value;
			list->nvalues++;
		}
	}
	return code;
}

static int expand(struct rules_defs *defs, struct rules_entry *list)
{
	size_t n = list->broken ? 0 : count_values(defs, list);

	if (n > RULES_VALUES_MAX - defs->expanded) {
		RULES_REPORT(defs, YAML_ERROR, list->where,
			     "lists expand to more than %d values here", RULES_VALUES_MAX);
		list->broken = true;
		return 0;
	}
	defs->expanded += n;
	if (n == 0)
		return 0;
	list->values = arena_alloc(&defs->arena, n * sizeof(*list->values));
	return list->values ? fill_values(defs, list) : -ENOMEM;
}

int rules_lists_expand(struct rules_defs *defs)
{
	int code = 0;

	for (struct rules_entry *list = defs->first; list && code == 0; list = list->next)
		if (list->kind == RULES_LIST && !list->broken)
			code = find_refs(defs, list);
	for (struct rules_entry *list = rules_graph_order(defs, 1u << RULES_LIST);
	     list && code == 0; list = list->ordered)
		code = expand(defs, list);
	return code;
}

int rules_list_insert(struct rules_defs *defs, const struct rules_entry *list, size_t position,
		      struct filter_expr ***end)
{
	if (list->nvalues > RULES_VALUES_MAX - defs->expanded) {
		RULES_REPORT(defs, YAML_ERROR, list->where,
			     "lists expand to more than %d values where this one is named",
			     RULES_VALUES_MAX);
		return 0;
	}
	defs->expanded += list->nvalues;
	for (size_t i = 0; i < list->nvalues; i++) {
		struct filter_expr *expr = arena_alloc(&defs->arena, sizeof(*expr));

		if (!expr)
			return -ENOMEM;
		expr->kind = FILTER_EXPR_TEXT;
		expr->position = position;
		expr->text = list->values[i].text;
		**end = expr;
		*end = &expr->next;
	}
	return 0;
}
