/* SPDX-License-Identifier: MIT */
/* Lists the rules of files, for people who choose among them. */
#include <stdlib.h>

#include "agent/commands/commands.h"
#include "agent/commands/list.h"
#include "agent/plan/pushdown.h"
#include "rules/ruleset.h"
#include "util/terminal.h"

enum { FOLD = 3 };

static const char *const titles[] = {"RULE", "PRIORITY", "TAGS", "MEANING", NULL};

static void add_row(struct list *list, const struct rule *rule)
{
	list_add_cell(list, rule->name);
	list_add_cell(list, rules_priority_name(rule->priority));
	for (size_t i = 0; i < rule->ntags; i++)
		buf_printf(&list->table.cells, "%s%s", i ? ", " : "", rule->tags[i]);
	table_end_cell(&list->table);
	/* A cell is one line. */
	for (const char *at = rule->desc; *at; at++)
		if (*at != '\n' && *at != '\t' && *at != '\r')
			buf_append_char(&list->table.cells, *at);
		else if (at[1])
			buf_append_char(&list->table.cells, ' ');
	table_end_cell(&list->table);
}

static void add_rule_object(struct list *list, const struct rule *rule)
{
	list_add_object(list);
	list_add_string(list, "rule", rule->name);
	list_add_string(list, "priority", rules_priority_name(rule->priority));
	list_add_key(list, "tags");
	buf_append_char(&list->json, '[');
	for (size_t i = 0; i < rule->ntags; i++)
		list_add_element(list, rule->tags[i]);
	buf_append_char(&list->json, ']');
	list_add_string(list, "desc", rule->desc);
	list_add_string(list, "condition", rule->text);
	list_add_string(list, "output", rule->output);
	BUF_LITERAL(&list->json, "}\n");
}

static int list_rules_print(const struct options *options, const struct ruleset *ruleset)
{
	struct list list;

	list_init(&list, options, titles, FOLD);
	for (size_t i = 0; i < ruleset_count(ruleset); i++) {
		const struct rule *rule = ruleset_rule(ruleset, i);

		if (list.format->objects)
			add_rule_object(&list, rule);
		else
			add_row(&list, rule);
		list.found++;
	}
	/* The rules may all be left out by options. */
	if (!list.found) {
		table_finish(&list.table);
		fputs("agent: no rule runs with these options\n", stderr);
		return EXIT_FAILURE;
	}
	return list_print(&list, "rules");
}

int list_rules_run(const struct options *options)
{
	const struct printer printer = {.format = &format_none, .style = options->style};
	struct rules_counts counts = {0};
	struct ruleset *ruleset = NULL;
	struct buf messages = {0};
	int r = rules_load_options(options, &printer, options->filter, &ruleset, &counts,
				   &messages);
	int exit_code = r ? EXIT_FAILURE : list_rules_print(options, ruleset);

	terminal_print(stderr, &messages);
	ruleset_destroy(ruleset);
	buf_finish(&messages);
	return exit_code;
}
