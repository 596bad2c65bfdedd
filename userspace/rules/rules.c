/* SPDX-License-Identifier: MIT */
/* From inputs to rules that run. */
#include "rules/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/defs.h"
#include "util/count.h"
#include "util/nearest.h"

struct rules {
	struct rules_defs defs;
	struct yaml_file *files; /* one for each input */
	size_t nfiles;
	struct rule *list; /* in the arena of the definitions */
	size_t count;
};

static const char *const priority_names[] = {
	[PRIORITY_EMERGENCY] = "Emergency",
	[PRIORITY_ALERT] = "Alert",
	[PRIORITY_CRITICAL] = "Critical",
	[PRIORITY_ERROR] = "Error",
	[PRIORITY_WARNING] = "Warning",
	[PRIORITY_NOTICE] = "Notice",
	[PRIORITY_INFORMATIONAL] = "Informational",
	[PRIORITY_DEBUG] = "Debug",
};

const char *rules_priority_name(enum rules_priority priority)
{
	return priority_names[priority];
}

int rules_priority_read(const char *text, enum rules_priority *priority)
{
	if (strcasecmp(text, "info") == 0) {
		*priority = PRIORITY_INFORMATIONAL;
		return 0;
	}
	for (size_t i = 0; i < COUNT(priority_names); i++) {
		if (strcasecmp(text, priority_names[i]) == 0) {
			*priority = (enum rules_priority)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *rules_priority_nearest(const char *text)
{
	struct nearest nearest;

	nearest_init(&nearest, text, strlen(text));
	for (size_t i = 0; i < COUNT(priority_names); i++)
		nearest_offer(&nearest, priority_names[i]);
	return nearest.word;
}

/* Reads all inputs, also after an error in one. */
static int read_inputs(struct rules *rules, const struct rules_input *inputs)
{
	struct rules_defs *defs = &rules->defs;
	bool whole = true;

	for (size_t i = 0; i < rules->nfiles; i++) {
		struct yaml_file *file = &rules->files[i];
		struct error err = {""};
		struct yaml_link *roots = NULL;
		int r;

		r = inputs[i].text ? yaml_file_copy(inputs[i].path, inputs[i].text, inputs[i].len,
						    file, &err)
				   : yaml_file_read(inputs[i].path, file, &err);
		file->number = (unsigned int)i;
		if (r && r != -ENOMEM)
			yaml_report_add_file(defs->report, YAML_ERROR, file->number, inputs[i].path,
					     err.text);
		if (r == 0)
			r = yaml_tree_read(file, &defs->arena, defs->report, &roots);
		whole &= r == 0;
		for (struct yaml_link *root = roots; r == 0 && root; root = root->next)
			r = rules_items_read(defs, root->value);
		if (r == -ENOMEM)
			return r;
	}
	return whole ? 0 : -EINVAL;
}

static int check_priority(struct rules_defs *defs, const struct rules_entry *rule,
			  enum rules_priority *priority)
{
	const struct yaml_node *node = rules_entry_value(rule, KEY_PRIORITY);
	const char *nearest;

	if (rules_priority_read(node->text, priority) == 0)
		return 0;
	nearest = rules_priority_nearest(node->text);
	if (nearest)
		RULES_REPORT(defs, YAML_ERROR, node, "unknown priority '%.60s'; did you mean '%s'?",
			     node->text, nearest);
	else
		RULES_REPORT(
			defs, YAML_ERROR, node,
			"unknown priority '%.60s': emergency, alert, critical, error, warning, "
			"notice, informational or debug",
			node->text);
	return -EINVAL;
}

/* Whether a rule runs; counts the others. */
static bool runs(const struct rules_entry *rule, enum rules_priority priority,
		 enum rules_priority least, struct rules_counts *counts)
{
	size_t *count = NULL;

	if (!rules_entry_is_about_syscalls(rule))
		count = &counts->foreign;
	else if (!rules_entry_flag(rule, KEY_ENABLED, true))
		count = &counts->disabled;
	else if (rule->unknown_field && rules_entry_flag(rule, KEY_SKIP_UNKNOWN, false))
		count = &counts->unknown;
	else if (priority > least)
		count = &counts->minor;
	if (count)
		++*count;
	return !count && !rule->broken;
}

static bool has_one_of(const struct rule *rule, const struct rules_tags *tags)
{
	for (size_t i = 0; i < rule->ntags; i++)
		for (size_t j = 0; j < tags->count; j++)
			if (strcmp(rule->tags[i], tags->list[j]) == 0)
				return true;
	return false;
}

static bool is_named(const struct rule *rule, const struct rules_tags *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(rule->name, names->list[i]) == 0)
			return true;
	return names->count == 0;
}

static bool is_tagged(const struct rule *rule, const struct rules_options *options)
{
	return is_named(rule, &options->names) && !has_one_of(rule, &options->excluded) &&
	       (options->wanted.count == 0 || has_one_of(rule, &options->wanted));
}

static int make_tags(struct rules_defs *defs, const struct rules_entry *entry, struct rule *rule)
{
	const char **tags;
	size_t n = 0;

	for (const struct rules_part *part = entry->parts[KEY_TAGS].first; part; part = part->next)
		for (const struct yaml_link *tag = part->value->first; tag; tag = tag->next)
			n++;
	tags = arena_alloc(&defs->arena, n * sizeof(*tags));
	if (!tags)
		return -ENOMEM;
	rule->tags = tags;
	for (const struct rules_part *part = entry->parts[KEY_TAGS].first; part; part = part->next)
		for (const struct yaml_link *tag = part->value->first; tag; tag = tag->next)
			tags[rule->ntags++] = tag->value->text;
	return 0;
}

/* Joins the output to one line: YAML blocks at least end with a newline. */
static int make_output(struct rules_defs *defs, struct rules_entry *entry, struct rule *rule)
{
	char *output;
	int r = 0;
	size_t len;

	for (const struct rules_part *part = entry->parts[KEY_OUTPUT].first; part && r == 0;
	     part = part->next)
		r = rules_text_add(&entry->output, &defs->arena, part->value);
	if (r == 0)
		r = rules_text_join(&entry->output, &defs->arena);
	if (r)
		return r;
	len = entry->output.len;
	while (len && (entry->output.data[len - 1] == '\n' || entry->output.data[len - 1] == ' '))
		len--;
	output = arena_text(&defs->arena, entry->output.data, len);
	if (!output)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++)
		if (output[i] == '\n' || output[i] == '\r')
			output[i] = ' ';
	rule->output = output;
	return 0;
}

static int make_rule(struct rules *rules, struct rules_entry *entry,
		     const struct rules_options *options, struct rules_counts *counts)
{
	struct rule *rule = &rules->list[rules->count];
	int r;

	if (!rules_entry_value(entry, KEY_PRIORITY) || !rules_entry_value(entry, KEY_OUTPUT) ||
	    check_priority(&rules->defs, entry, &rule->priority) ||
	    !runs(entry, rule->priority, options->least, counts))
		return 0;
	*rule = (struct rule){.priority = rule->priority, .name = entry->name};
	rule->desc =
		rules_entry_value(entry, KEY_DESC) ? rules_entry_value(entry, KEY_DESC)->text : "";
	rule->root = entry->root;
	rule->text = entry->text.data;
	rule->entry = entry;
	r = make_tags(&rules->defs, entry, rule);
	if (r == 0)
		r = make_output(&rules->defs, entry, rule);
	if (r)
		return r;
	if (is_tagged(rule, options))
		rules->count++;
	else
		counts->untagged++;
	return 0;
}

static int rules_create_all(struct rules *rules, const struct rules_options *options,
			    struct rules_counts *counts)
{
	struct rules_defs *defs = &rules->defs;
	int r = 0;

	rules->list = arena_alloc(&defs->arena, defs->counts[RULES_RULE] * sizeof(*rules->list));
	if (!rules->list)
		return -ENOMEM;
	for (struct rules_entry *entry = defs->first; entry && r == 0; entry = entry->next) {
		if (entry->kind == RULES_RULE)
			r = make_rule(rules, entry, options, counts);
		else if (!entry->used)
			RULES_REPORT(defs, YAML_NOTE, entry->where, "the %s '%.60s' is not used",
				     rules_kind_name(entry->kind), entry->name);
	}
	return r;
}

static int rules_load_whole(struct rules *rules, const struct rules_input *inputs,
			    const struct rules_options *options, struct rules_counts *counts)
{
	struct rules_defs *defs = &rules->defs;
	int r = read_inputs(rules, inputs);

	*counts = (struct rules_counts){
		.rules = defs->counts[RULES_RULE],
		.macros = defs->counts[RULES_MACRO],
		.lists = defs->counts[RULES_LIST],
	};
	/* Missing definitions would cause wrong errors in all their users. */
	if (r == 0)
		r = rules_lists_expand(defs);
	if (r == 0)
		r = rules_conditions_parse(defs);
	if (r == 0)
		r = rules_conditions_link(defs, &options->filter);
	if (r == 0)
		r = rules_create_all(rules, options, counts);
	if (r == 0 && !defs->report->counts[YAML_ERROR])
		rules_claims_note(defs);
	if (r == 0 && defs->report->failed)
		r = -ENOMEM;
	return r || !defs->report->counts[YAML_ERROR] ? r : -EINVAL;
}

int rules_load(const struct rules_input *inputs, size_t n, const struct rules_options *options,
	       struct rules **rules, struct rules_counts *counts, struct yaml_report *report)
{
	struct rules *made = calloc(1, sizeof(*made));
	int r = -ENOMEM;

	*report = (struct yaml_report){0};
	if (!made)
		return r;
	rules_defs_init(&made->defs, report);
	made->nfiles = n;
	made->files = calloc(n ? n : 1, sizeof(*made->files));
	if (made->files)
		r = rules_load_whole(made, inputs, options, counts);
	/* The report belongs to the caller and may be freed before the rules. */
	made->defs.report = NULL;
	if (r == 0)
		*rules = made;
	else
		rules_destroy(made);
	return r;
}

void rules_destroy(struct rules *rules)
{
	if (!rules)
		return;
	rules_defs_finish(&rules->defs);
	for (size_t i = 0; rules->files && i < rules->nfiles; i++)
		yaml_file_finish(&rules->files[i]);
	free(rules->files);
	free(rules);
}

const struct rule *rules_list(const struct rules *rules, size_t *n)
{
	*n = rules->count;
	return rules->list;
}
