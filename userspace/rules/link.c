/* SPDX-License-Identifier: MIT */
/*
 * Expands lists, orders definitions that name each other, inserts macros at their names, and binds
 * every check.
 */
#include <errno.h>
#include <string.h>

#include "rules/defs.h"
#include "sinsp/sinsp.h"

/*
 * The order of definitions that name each other: depth first. Entries store the way back, so long
 * chains need no recursion.
 */

int rules_graph_add(struct rules_defs *defs, struct rules_entry *from, const struct rules_ref *ref)
{
	struct rules_ref *made = arena_alloc(&defs->arena, sizeof(*made));

	if (!made)
		return -ENOMEM;
	*made = *ref;
	made->next = from->refs;
	from->refs = made;
	ref->to->used = true;
	return 0;
}

/* Reports the cycle that the reference closes: all entries from `end` up to its target. */
static void report_cycle(struct rules_defs *defs, struct rules_entry *end,
			 const struct rules_ref *closing)
{
	const char *kind = rules_kind_name(end->kind);
	const struct yaml_file *file;
	size_t offset;

	for (struct rules_entry *entry = end; entry != closing->to; entry = entry->parent)
		entry->broken = true;
	closing->to->broken = true;
	if (closing->item) {
		file = closing->item->file;
		offset = closing->item->start;
	} else {
		file = rules_text_place(&end->text, closing->node->position, &offset);
	}
	if (closing->to == end)
		yaml_report_add(defs->report, YAML_ERROR, file, offset,
				"the %s '%.60s' contains itself", kind, end->name);
	else
		yaml_report_add(defs->report, YAML_ERROR, file, offset,
				"the %s '%.60s' contains itself: '%.60s' is in it, and names it "
				"here",
				kind, closing->to->name, end->name);
}

/* The next unseen entry that this one names; reports cycles. */
static struct rules_entry *next_unseen(struct rules_defs *defs, struct rules_entry *entry)
{
	while (entry->cursor) {
		const struct rules_ref *ref = entry->cursor;

		entry->cursor = ref->next;
		if (ref->to->seen == UNSEEN)
			return ref->to;
		if (ref->to->seen == OPEN)
			report_cycle(defs, entry, ref);
	}
	return NULL;
}

static void open_entry(struct rules_entry *entry, struct rules_entry *parent)
{
	entry->seen = OPEN;
	entry->parent = parent;
	entry->cursor = entry->refs;
}

struct rules_entry *rules_graph_order(struct rules_defs *defs, unsigned int kinds)
{
	struct rules_entry *first = NULL, **end = &first, *inner;

	for (struct rules_entry *root = defs->first; root; root = root->next) {
		struct rules_entry *entry = root;

		if (!(kinds & 1u << root->kind) || root->seen != UNSEEN)
			continue;
		open_entry(root, NULL);
		while (entry) {
			inner = next_unseen(defs, entry);
			if (inner) {
				open_entry(inner, entry);
				entry = inner;
				continue;
			}
			entry->seen = DONE;
			*end = entry;
			end = &entry->ordered;
			entry = entry->parent;
		}
	}
	*end = NULL;
	return first;
}

struct rules_entry *rules_graph_reverse(struct rules_entry *first)
{
	struct rules_entry *reversed = NULL;

	while (first) {
		struct rules_entry *next = first->ordered;

		first->ordered = reversed;
		reversed = first;
		first = next;
	}
	return reversed;
}

/* Expands the lists that lists name. */

static const struct rules_part *link_parts_of(const struct rules_entry *list)
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
	int r = 0;

	for (const struct rules_part *part = link_parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link && r == 0;
		     link = link->next) {
			struct rules_ref ref = {.to = named_list(defs, list, link->value),
						.item = link->value};

			if (ref.to)
				r = rules_graph_add(defs, list, &ref);
		}
	}
	return r;
}

static size_t link_count_values(const struct rules_defs *defs, const struct rules_entry *list)
{
	size_t n = 0;

	for (const struct rules_part *part = link_parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link; link = link->next) {
			const struct rules_entry *inner = named_list(defs, list, link->value);

			n += inner ? inner->nvalues : 1;
		}
	}
	return n;
}

static int fill_values(struct rules_defs *defs, struct rules_entry *list)
{
	int r = 0;

	for (const struct rules_part *part = link_parts_of(list); part; part = part->next) {
		for (const struct yaml_link *link = part->value->first; link && r == 0;
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
			r = rules_value_text(defs, link->value, &value->text);
			value->node = link->value;
			list->nvalues++;
		}
	}
	return r;
}

static int expand(struct rules_defs *defs, struct rules_entry *list)
{
	size_t n = list->broken ? 0 : link_count_values(defs, list);

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
	int r = 0;

	for (struct rules_entry *list = defs->first; list && r == 0; list = list->next)
		if (list->kind == RULES_LIST && !list->broken)
			r = find_refs(defs, list);
	for (struct rules_entry *list = rules_graph_order(defs, 1u << RULES_LIST); list && r == 0;
	     list = list->ordered)
		r = expand(defs, list);
	return r;
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

/*
 * Inserts macros at their names, as shared nodes, and binds every check of every condition once,
 * with its own text, so that all errors are reported where they are.
 */

/* Compilers of trees recurse; a hundred nested macros are below this. */
enum { RULES_DEPTH_MAX = 400 };

static enum rules_demand demand_of_rule(const struct rules_entry *rule)
{
	if (!rules_entry_is_about_syscalls(rule))
		return DEMAND_FOREIGN;
	if (!rules_entry_flag(rule, KEY_ENABLED, true) ||
	    rules_entry_flag(rule, KEY_SKIP_UNKNOWN, false))
		return DEMAND_IDLE;
	return DEMAND_RUNNING;
}

/* Propagates demands from the rules to their macros. */
static struct rules_entry *spread_demand(struct rules_entry *ordered)
{
	struct rules_entry *first = rules_graph_reverse(ordered);

	for (struct rules_entry *entry = first; entry; entry = entry->ordered) {
		if (entry->kind == RULES_RULE)
			entry->demand = demand_of_rule(entry);
		for (const struct rules_ref *ref = entry->refs; ref; ref = ref->next)
			if (ref->to->demand < entry->demand)
				ref->to->demand = entry->demand;
	}
	return rules_graph_reverse(first);
}

static void link_macro(struct rules_defs *defs, struct rules_entry *entry,
		       const struct rules_ref *ref, unsigned int own_depth)
{
	const struct rules_entry *macro = ref->to;

	entry->unknown_field |= macro->unknown_field;
	if (macro->broken || !macro->root) {
		entry->broken = true;
		return;
	}
	if (own_depth + macro->depth > RULES_DEPTH_MAX) {
		rules_text_report(defs->report, YAML_ERROR, &entry->text, ref->node->position,
				  "macros are nested too deeply here");
		entry->broken = true;
		return;
	}
	ref->node->kind = FILTER_NODE_SHARED;
	ref->node->first = macro->root;
	ref->node->text = macro->text.data;
	if (own_depth + macro->depth > entry->depth)
		entry->depth = own_depth + macro->depth;
}

static void link_macros(struct rules_defs *defs, struct rules_entry *entry)
{
	unsigned int own_depth = entry->depth;

	for (const struct rules_ref *ref = entry->refs; ref; ref = ref->next)
		link_macro(defs, entry, ref, own_depth);
}

/* Whether an error in a condition is reported, and its severity for the users of the condition. */
static bool is_reported(const struct rules_entry *entry, bool unknown_field,
			enum yaml_severity *severity)
{
	static const enum yaml_severity severities[] = {
		[DEMAND_NONE] = YAML_WARNING,
		[DEMAND_IDLE] = YAML_WARNING,
		[DEMAND_RUNNING] = YAML_ERROR,
	};

	if (entry->demand == DEMAND_FOREIGN)
		return false;
	*severity = severities[entry->demand];
	/* Unknown fields in rules that permit them, or are disabled. */
	if (unknown_field && entry->demand == DEMAND_IDLE)
		*severity = YAML_NOTE;
	return true;
}

/* A check that is being bound, for messages. */
struct binding {
	struct rules_defs *defs;
	const struct rules_entry *entry;
	const struct rules_text *text;
};

static void report_warning(void *context, const struct filter_error *warning)
{
	const struct binding *binding = context;

	if (binding->entry->demand != DEMAND_FOREIGN)
		rules_text_report(binding->defs->report, YAML_WARNING, binding->text,
				  warning->position, "%s", warning->text);
}

static int bind(struct rules_defs *defs, struct rules_entry *entry, const struct rules_check *check,
		const struct filter_options *options)
{
	struct binding binding = {defs, entry, check->text};
	const struct filter_options reporting = {
		.exact_types = options->exact_types,
		.warn = report_warning,
		.warn_context = &binding,
	};
	struct filter_error err = {0};
	enum yaml_severity severity;
	bool unknown_field = false;
	int r = filter_check_node(check->node, check->text->data, &reporting, &unknown_field, &err);

	if (r != -EINVAL)
		return r;
	entry->broken = true;
	entry->unknown_field |= unknown_field;
	if (is_reported(entry, unknown_field, &severity))
		rules_text_report(defs->report, severity, check->text, err.position, "%s",
				  err.text);
	return 0;
}

int rules_conditions_link(struct rules_defs *defs, const struct filter_options *options)
{
	struct rules_entry *ordered = rules_graph_order(defs, 1u << RULES_MACRO | 1u << RULES_RULE);
	int r = 0;

	ordered = spread_demand(ordered);
	for (struct rules_entry *entry = ordered;
	     entry && r == 0 && !yaml_report_is_full(defs->report); entry = entry->ordered) {
		if (!entry->root)
			continue;
		for (const struct rules_check *check = entry->checks; check && r == 0;
		     check = check->next)
			r = bind(defs, entry, check, options);
		link_macros(defs, entry);
	}
	return r;
}
