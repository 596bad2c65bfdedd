/* SPDX-License-Identifier: MIT */
#include "grouped.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

struct filter_node *grouped_parse(struct grouped *group, const char *text)
{
	struct filter_error err;
	struct filter_node *root;

	if (filter_parse(text, &group->arena, &root, &err))
		fail_msg("'%s': %s", text, err.text);
	return root;
}

void grouped_graft(struct filter_node *node, struct filter_node *root, const char *text)
{
	if (node->kind == FILTER_NODE_NAME) {
		node->kind = FILTER_NODE_SHARED;
		node->first = root;
		node->text = text;
		return;
	}
	for (struct filter_node *child = node->first; child; child = child->next)
		grouped_graft(child, root, text);
}

void grouped_add(struct grouped *group, const char *text, struct filter_node *macro,
		 const char *macro_text)
{
	struct filter_node *root = grouped_parse(group, text);

	if (macro)
		grouped_graft(root, macro, macro_text);
	assert_true(group->n < GROUPED_MAX);
	group->items[group->n++] = (struct filter_group_item){root, text};
}

int grouped_create(struct grouped *group, const struct filter_options *options, size_t *failed,
		   struct filter_error *err)
{
	return filter_group_create(group->items, group->n, options, &group->filter, failed, err);
}

void grouped_finish(struct grouped *group)
{
	filter_destroy(group->filter);
	arena_finish(&group->arena);
}

void grouped_make(struct grouped *group, const char *const *texts)
{
	struct filter_error err;
	size_t failed;

	*group = (struct grouped){0};
	for (; *texts; texts++)
		grouped_add(group, *texts, NULL, NULL);
	if (grouped_create(group, NULL, &failed, &err))
		fail_msg("item %zu: %s", failed, err.text);
}
