/* SPDX-License-Identifier: MIT */
/*
 * Exceptions that anybody can have apply to him: what they compare is a process's own word, as its
 * name is. Notes about those of rules that run, for whoever checks rules.
 */
#include <string.h>

#include "rules/defs.h"
#include "util/count.h"

/* Of all conditions together: macros are looked at once for each use. */
enum { CLAIMS_NODES_MAX = 1 << 20 };

/* Without arguments, which are in brackets. A process can fork, and name itself, before it acts. */
static const char *const claimed_fields[] = {
	"proc.name",	 "proc.exe",	    "proc.args",      "proc.cmdline",	"proc.cmdnargs",
	"proc.exeline",	 "proc.cmdlenargs", "proc.env",	      "proc.cwd",	"proc.pname",
	"proc.pexe",	 "proc.pcmdline",   "proc.aname",     "proc.aexe",	"proc.acmdline",
	"proc.aargs",	 "proc.aenv",	    "proc.sname",     "proc.sid.exe",	"proc.pgid.name",
	"proc.pgid.exe", "proc.vpgid.name", "proc.vpgid.exe", "thread.nametid",
};

struct claims {
	unsigned int left; /* nodes that may be looked at */
	unsigned int macros; /* that the walk is inside of */
	const struct filter_node *found; /* of the condition itself: a comparison, or a macro */
};

static bool is_claimed_field(const struct filter_text *name)
{
	size_t len = strcspn(name->data, "[");

	for (size_t i = 0; i < COUNT(claimed_fields); i++)
		if (strlen(claimed_fields[i]) == len &&
		    memcmp(claimed_fields[i], name->data, len) == 0)
			return true;
	return false;
}

/* Of a transformer, its first argument. */
static bool is_claimed_operand(const struct filter_expr *expr)
{
	while (expr && expr->kind == FILTER_EXPR_CALL)
		expr = expr->first;
	return expr && expr->kind == FILTER_EXPR_FIELD && is_claimed_field(&expr->text);
}

static bool claims_meet(struct claims *claims, const struct filter_node *node);

/* Whether anybody meets all children of a node, or any. */
static bool claims_meet_children(struct claims *claims, const struct filter_node *node, bool all)
{
	const struct filter_node *child = node->first;

	while (child && claims_meet(claims, child) == all)
		child = child->next;
	return all == !child;
}

/* Whether anybody meets a condition: it asks for nothing but his words. Who chooses a word can also
 * choose another. */
static bool claims_meet(struct claims *claims, const struct filter_node *node)
{
	const struct filter_node *before = claims->found;
	bool is_macro = node->kind == FILTER_NODE_SHARED, met = false;

	if (claims->left == 0)
		return false;
	claims->left--;
	claims->macros += is_macro;
	if (node->kind == FILTER_NODE_CHECK)
		met = is_claimed_operand(node->left);
	else if (node->kind != FILTER_NODE_NAME)
		met = claims_meet_children(claims, node, node->kind != FILTER_NODE_OR);
	claims->macros -= is_macro;
	if (!met)
		claims->found = before;
	else if (!before && claims->macros == 0 && (is_macro || node->kind == FILTER_NODE_CHECK))
		claims->found = node;
	return met;
}

/* The text that a node is in: exceptions have one of their own. */
static const struct rules_text *claims_text_of(const struct rules_entry *entry,
					       const struct filter_node *node)
{
	for (const struct rules_check *check = entry->checks; check; check = check->next)
		if (check->node == node)
			return check->text;
	return &entry->text;
}

static void claims_report(struct rules_defs *defs, const struct rules_entry *entry,
			  const struct filter_node *found)
{
	rules_text_report(defs->report, YAML_NOTE, claims_text_of(entry, found), found->position,
			  "anybody can have this exception of the %s '%.60s' apply to him: it asks "
			  "for words of the process alone, and not for what the kernel says "
			  "(proc.exepath, user.uid, container.id)",
			  rules_kind_name(entry->kind), entry->name);
}

/* What stands behind `and not` in a condition, and other forms of it. */
static void claims_walk(struct claims *claims, struct rules_defs *defs,
			const struct rules_entry *entry, const struct filter_node *node)
{
	claims->found = NULL;
	if (node->kind == FILTER_NODE_AND)
		for (const struct filter_node *child = node->first; child; child = child->next)
			claims_walk(claims, defs, entry, child);
	else if (node->kind == FILTER_NODE_NOT && claims_meet(claims, node->first))
		claims_report(defs, entry, claims->found ? claims->found : node);
	else if (node->kind == FILTER_NODE_CHECK && node->op == FILTER_NE &&
		 is_claimed_operand(node->left))
		claims_report(defs, entry, node);
}

void rules_claims_note(struct rules_defs *defs)
{
	struct claims claims = {.left = CLAIMS_NODES_MAX};

	for (const struct rules_entry *entry = defs->first; entry; entry = entry->next)
		if (entry->root && !entry->broken && entry->demand == DEMAND_RUNNING)
			claims_walk(&claims, defs, entry, entry->root);
}
