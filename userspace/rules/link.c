/* SPDX-License-Identifier: MIT */
/*
 * Inserts macros at their names, as shared nodes, and binds every check of every condition once,
 * with its own text, so that all errors are reported where they are.
 */
#include <errno.h>

#include "rules/defs.h"
#include "sinsp/sinsp.h"

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
	int code =
		filter_check_node(check->node, check->text->data, &reporting, &unknown_field, &err);

	if (code != -EINVAL)
		return code;
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
	int code = 0;

	ordered = spread_demand(ordered);
	for (struct rules_entry *entry = ordered;
	     entry && code == 0 && !yaml_report_is_full(defs->report); entry = entry->ordered) {
		if (!entry->root)
			continue;
		for (const struct rules_check *check = entry->checks; check && code == 0;
		     check = check->next)
			code = bind(defs, entry, check, options);
		link_macros(defs, entry);
	}
	return code;
}
