/* SPDX-License-Identifier: MIT */
/*
 * The order of definitions that name each other: depth first. Entries store the way back, so long
 * chains need no recursion.
 */
#include <errno.h>

#include "rules/defs.h"

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
