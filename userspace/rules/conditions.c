/* SPDX-License-Identifier: MIT */
/*
 * Parses the conditions of macros and rules, replaces names of lists by their values, and collects
 * the names of macros.
 */
#include <errno.h>
#include <string.h>

#include "rules/defs.h"

/* A walk over the tree of an entry. */
struct walk {
	struct rules_defs *defs;
	struct rules_entry *entry;
};

static int conditions_reject_name(struct walk *walk, const struct filter_text *name,
				  size_t position, enum rules_kind kind)
{
	const char *nearest = rules_defs_nearest(walk->defs, kind, name->data, name->len);
	const char *what = rules_kind_name(kind);

	if (!nearest && kind == RULES_MACRO)
		nearest = field_nearest(name->data, name->len);
	if (nearest)
		rules_text_report(walk->defs->report, YAML_ERROR, &walk->entry->text, position,
				  "unknown %s '%.60s'; did you mean '%s'?", what, name->data,
				  nearest);
	else
		rules_text_report(walk->defs->report, YAML_ERROR, &walk->entry->text, position,
				  "unknown %s '%.60s'", what, name->data);
	walk->entry->broken = true;
	return 0;
}

static int note_macro(struct walk *walk, struct filter_node *node)
{
	struct rules_ref ref = {.to = rules_defs_find(walk->defs, RULES_MACRO, node->name.data),
				.node = node};

	if (!ref.to)
		return conditions_reject_name(walk, &node->name, node->position, RULES_MACRO);
	return rules_graph_add(walk->defs, walk->entry, &ref);
}

/* Warns of a value that looks like the name of a list and is similar to one. */
static void warn_of_misspelt(struct walk *walk, const struct filter_expr *value)
{
	const char *nearest;

	if (!strchr(value->text.data, '_'))
		return;
	nearest = rules_defs_nearest(walk->defs, RULES_LIST, value->text.data, value->text.len);
	if (nearest)
		rules_text_report(walk->defs->report, YAML_WARNING, &walk->entry->text,
				  value->position,
				  "'%.60s' is no list, but a text; did you mean '%s'?",
				  value->text.data, nearest);
}

static bool is_quoted(const struct walk *walk, const struct filter_expr *value)
{
	char first = walk->entry->text.data[value->position];

	return first == '"' || first == '\'';
}

/* Replaces the names of lists by their values. */
static int expand_values(struct walk *walk, const struct filter_node *check)
{
	struct filter_expr *list = check->right;
	bool in_brackets = walk->entry->text.data[list->position] == '(';
	struct filter_expr **end = &list->first, *next;
	int r = 0;

	for (struct filter_expr *value = list->first; value && r == 0; value = next) {
		struct rules_entry *named = NULL;

		next = value->next;
		if (!is_quoted(walk, value)) {
			named = rules_defs_find(walk->defs, RULES_LIST, value->text.data);
			if (!named && in_brackets)
				warn_of_misspelt(walk, value);
			else if (!named)
				r = conditions_reject_name(walk, &value->text, value->position,
							   RULES_LIST);
		}
		if (named) {
			named->used = true;
			walk->entry->broken |= named->broken;
			r = rules_list_insert(walk->defs, named, value->position, &end);
		} else {
			*end = value;
			end = &value->next;
		}
	}
	*end = NULL;
	/* Without brackets the list has no position of its own: use that of the operator. */
	if (!in_brackets)
		list->position = check->op_position;
	return r;
}

/* Recurses no deeper than the parser. Sets `depth` to that of the tree. */
static int walk_tree(struct walk *walk, struct filter_node *node, unsigned int *depth)
{
	unsigned int deepest = 0, inner;
	int r = 0;

	if (node->kind == FILTER_NODE_NAME)
		r = note_macro(walk, node);
	if (node->kind == FILTER_NODE_CHECK) {
		if (node->right && node->right->kind == FILTER_EXPR_LIST)
			r = expand_values(walk, node);
		if (r == 0)
			r = rules_entry_add_check(walk->defs, walk->entry, node,
						  &walk->entry->text);
	}
	for (struct filter_node *child = node->first; child && r == 0; child = child->next) {
		r = walk_tree(walk, child, &inner);
		deepest = inner > deepest ? inner : deepest;
	}
	*depth = deepest + 1;
	return r;
}

static int conditions_parse(struct rules_defs *defs, struct rules_entry *entry)
{
	struct walk walk = {.defs = defs, .entry = entry};
	struct filter_error err = {0};
	int r = 0;

	for (const struct rules_part *part = entry->parts[KEY_CONDITION].first; part && r == 0;
	     part = part->next)
		r = rules_text_add(&entry->text, &defs->arena, part->value);
	if (r == 0)
		r = rules_text_join(&entry->text, &defs->arena);
	if (r == 0)
		r = filter_parse(entry->text.data, &defs->arena, &entry->root, &err);
	if (r == -EINVAL) {
		rules_text_report(defs->report, YAML_ERROR, &entry->text, err.position, "%s",
				  err.text);
		entry->broken = true;
		return 0;
	}
	return r ? r : walk_tree(&walk, entry->root, &entry->depth);
}

int rules_conditions_parse(struct rules_defs *defs)
{
	int r = 0;

	for (struct rules_entry *entry = defs->first;
	     entry && r == 0 && !yaml_report_is_full(defs->report); entry = entry->next) {
		if (entry->kind == RULES_LIST || entry->broken)
			continue;
		r = conditions_parse(defs, entry);
		if (r == 0 && entry->kind == RULES_RULE && entry->root)
			r = rules_exceptions_add(defs, entry);
	}
	return r;
}
