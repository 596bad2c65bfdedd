/* SPDX-License-Identifier: MIT */
/* Compiles rules, and makes the lines of matching events. */
#include "rules/ruleset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/defs.h"
#include "sinsp/sinsp.h"

struct ruleset_rule {
	const char *name;
	struct match_line **lines; /* owned, NULL: the output is wrong */
	enum rules_priority priority;
	uint64_t matches;
	uint64_t undecided; /* of these, see filter_is_unknown() */
};

struct ruleset {
	struct rules *rules;
	struct arena arena;
	struct filter *filter;
	struct ruleset_rule *list;
	size_t count;
	size_t lines_count;
};

/* Creates a node that shares a tree, since a node can have only one parent. */
static struct filter_node *ruleset_share(struct arena *arena, const struct filter_node *root,
					 const char *text)
{
	struct filter_node *node = arena_alloc(arena, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = FILTER_NODE_SHARED;
	node->first = (struct filter_node *)root;
	node->text = text;
	return node;
}

static struct filter_node *ruleset_both(struct arena *arena, const struct filter_group_item *a,
					const struct filter_group_item *b)
{
	struct filter_node *node = arena_alloc(arena, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = FILTER_NODE_AND;
	node->first = ruleset_share(arena, a->root, a->text);
	if (node->first)
		node->first->next = ruleset_share(arena, b->root, b->text);
	return node->first && node->first->next ? node : NULL;
}

static int make_items(struct ruleset *ruleset, const struct rule *rules, const char *filter,
		      struct filter_group_item *items)
{
	struct filter_group_item outer = {.text = filter};
	struct filter_node *root;
	int r;

	for (size_t i = 0; i < ruleset->count; i++)
		items[i] = (struct filter_group_item){.root = rules[i].root, .text = rules[i].text};
	if (!filter)
		return 0;
	r = filter_parse(filter, &ruleset->arena, &root, NULL);
	if (r)
		return r;
	outer.root = root;
	for (size_t i = 0; i < ruleset->count; i++) {
		items[i].root = ruleset_both(&ruleset->arena, &outer, &items[i]);
		if (!items[i].root)
			return -ENOMEM;
	}
	return 0;
}

static int ruleset_compile(struct ruleset *ruleset, const struct rule *rules,
			   const struct ruleset_config *config, struct yaml_report *report)
{
	struct filter_group_item *items =
		arena_alloc(&ruleset->arena, ruleset->count * sizeof(*items));
	struct filter_error err = {0};
	size_t failed = 0;
	int r = items ? make_items(ruleset, rules, config->filter, items) : -ENOMEM;

	if (r == 0)
		r = filter_group_create(items, ruleset->count, &config->rules.filter,
					&ruleset->filter, &failed, &err);
	/* All checks were bound before: only limits of the whole filter are left. */
	if (r == -EINVAL && ruleset->count) {
		const struct yaml_node *where = rules[failed].entry->where;

		yaml_report_add(report, YAML_ERROR, where->file, where->start,
				"the rule '%.60s' cannot be compiled: %s", rules[failed].name,
				err.text);
	}
	return r;
}

/* Whether the kernel reports such events now; capture files have others, too. */
static bool ruleset_is_reported(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	return desc && !(desc->flags & EF_RECORDED) && event_desc_is_native(desc);
}

/* The number of types that can match; recorded: those that only files have count, too. */
static unsigned int count_types(const struct filter *filter, size_t item, bool recorded)
{
	bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];
	unsigned int n = 0;

	filter_group_event_types(filter, item, ids, generic);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		n += ids[id] && (recorded || ruleset_is_reported(id));
	return n;
}

static unsigned int count_all_types(bool recorded)
{
	unsigned int n = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		n += event_desc_get(id) && (recorded || ruleset_is_reported(id));
	return n;
}

static void warn_of_types(const struct ruleset *ruleset, const struct rule *rules, bool recorded,
			  struct yaml_report *report)
{
	unsigned int all = count_all_types(recorded);

	for (size_t i = 0; i < ruleset->count; i++) {
		const struct rules_entry *entry = rules[i].entry;
		const struct yaml_node *where = entry->where;
		unsigned int types = count_types(ruleset->filter, i, recorded);

		if (types == 0)
			yaml_report_add(report, YAML_WARNING, where->file, where->start,
					"no event can match the rule '%.60s'", rules[i].name);
		else if (!recorded && filter_group_wants_other_kind(ruleset->filter, i))
			yaml_report_add(
				report, YAML_WARNING, where->file, where->start,
				"no event can match the rule '%.60s': its events open files, "
				"and fd.type is that of a file then, never of a socket",
				rules[i].name);
		else if (types == all && rules_entry_flag(entry, KEY_WARN_EVTTYPES, true))
			yaml_report_add(report, YAML_WARNING, where->file, where->start,
					"the rule '%.60s' does not say which types of events it is "
					"about (evt.type), and costs all of them",
					rules[i].name);
	}
}

/* Used in outputs of rules of Falco. It is no field, but stands for several. */
static const char container_info[] = "%container.info";

enum { INFO_LEN = sizeof(container_info) - 1 };

static const char *meaning_of_info(const struct ruleset_config *config)
{
	return config->container_info ? config->container_info
				      : "container_id=%container.id container_name=%container.name";
}

static void ruleset_append_output(struct buf *format, const char *output,
				  const struct ruleset_config *config)
{
	bool append = config->container_info && !strstr(output, container_info);
	const char *found;

	while ((found = strstr(output, container_info))) {
		buf_append(format, output, (size_t)(found - output));
		buf_append_string(format, meaning_of_info(config));
		output = found + INFO_LEN;
	}
	buf_append_string(format, output);
	if (append)
		buf_printf(format, " %s", config->container_info);
}

/* Converts a position in the expanded output to that in the output as written. */
static size_t find_written(const char *output, size_t at, const struct ruleset_config *config)
{
	size_t means_len = strlen(meaning_of_info(config));
	const char *found = output;

	while ((found = strstr(found, container_info)) && (size_t)(found - output) < at) {
		size_t begin = (size_t)(found - output);

		at = at < begin + means_len ? begin : at - means_len + INFO_LEN;
		found += INFO_LEN;
	}
	return at;
}

static int make_lines(struct ruleset_rule *made, const struct rule *rule,
		      const struct ruleset_config *config, struct yaml_report *report)
{
	struct filter_error err = {0};
	struct buf output = {0};
	const struct yaml_file *file;
	size_t offset;
	int r = -ENOMEM;

	ruleset_append_output(&output, rule->output, config);
	buf_append_char(&output, '\0');
	if (!output.failed) {
		struct format_rule described = {
			.name = rule->name,
			.priority = rules_priority_name(rule->priority),
			.tags = rule->tags,
			.tags_count = rule->ntags,
			.output = output.data,
		};

		r = 0;
		for (size_t i = 0; i < config->lines_count && r == 0; i++) {
			described.schema = config->lines[i].schema;
			r = match_line_create(config->lines[i].format, &described, &config->style,
					      &made->lines[i], &err);
		}
	}
	buf_finish(&output);
	if (r != -EINVAL)
		return r;
	file = rules_text_place(&rule->entry->output,
				find_written(rule->output, err.position, config), &offset);
	yaml_report_add(report, YAML_ERROR, file, offset, "%s", err.text);
	return 0;
}

static int ruleset_make_rules(struct ruleset *ruleset, const struct rule *rules,
			      const struct ruleset_config *config, struct yaml_report *report)
{
	int r = 0;

	ruleset->list = calloc(ruleset->count ? ruleset->count : 1, sizeof(*ruleset->list));
	if (!ruleset->list)
		return -ENOMEM;
	for (size_t i = 0; i < ruleset->count && r == 0; i++) {
		struct ruleset_rule *made = &ruleset->list[i];

		made->name = rules[i].name;
		made->priority = rules[i].priority;
		made->lines =
			arena_alloc(&ruleset->arena, config->lines_count * sizeof(made->lines[0]));
		if (!made->lines)
			return -ENOMEM;
		r = make_lines(made, &rules[i], config, report);
	}
	return r;
}

static int ruleset_load(struct ruleset *ruleset, const struct rules_input *inputs, size_t n,
			const struct ruleset_config *config, struct rules_counts *counts,
			struct yaml_report *report)
{
	const struct rule *rules;
	int r = rules_load(inputs, n, &config->rules, &ruleset->rules, counts, report);

	if (r)
		return r;
	rules = rules_list(ruleset->rules, &ruleset->count);
	r = ruleset_make_rules(ruleset, rules, config, report);
	if (r == 0)
		r = ruleset_compile(ruleset, rules, config, report);
	/* With a filter a rule may have no events on purpose. */
	if (r == 0 && !config->filter)
		warn_of_types(ruleset, rules, config->recorded, report);
	if (r == 0 && report->counts[YAML_ERROR])
		r = -EINVAL;
	return r;
}

int ruleset_create(const struct rules_input *inputs, size_t n, const struct ruleset_config *config,
		   struct ruleset **ruleset, struct rules_counts *counts,
		   struct yaml_report *report)
{
	struct ruleset *made = calloc(1, sizeof(*made));
	int r;

	*report = (struct yaml_report){0};
	if (!made)
		return -ENOMEM;
	made->lines_count = config->lines_count;
	r = ruleset_load(made, inputs, n, config, counts, report);
	if (r == 0)
		*ruleset = made;
	else
		ruleset_destroy(made);
	return r;
}

void ruleset_destroy(struct ruleset *ruleset)
{
	if (!ruleset)
		return;
	for (size_t i = 0; ruleset->list && i < ruleset->count; i++)
		for (size_t line = 0; ruleset->list[i].lines && line < ruleset->lines_count; line++)
			match_line_destroy(ruleset->list[i].lines[line]);
	free(ruleset->list);
	filter_destroy(ruleset->filter);
	rules_destroy(ruleset->rules);
	arena_finish(&ruleset->arena);
	free(ruleset);
}

struct filter *ruleset_filter(struct ruleset *ruleset)
{
	return ruleset->filter;
}

size_t ruleset_count(const struct ruleset *ruleset)
{
	return ruleset->count;
}

unsigned int ruleset_needs(const struct ruleset *ruleset)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < ruleset->count; i++)
		needs |= match_line_needs(ruleset->list[i].lines[0]);
	return needs;
}

size_t ruleset_next(struct ruleset *ruleset, const struct state_event *event, size_t from)
{
	size_t found = filter_group_next(ruleset->filter, event, from);

	if (found != FILTER_NONE) {
		ruleset->list[found].matches++;
		ruleset->list[found].undecided += filter_is_unknown(ruleset->filter);
	}
	return found;
}

enum rules_priority ruleset_priority(const struct ruleset *ruleset, size_t rule)
{
	return ruleset->list[rule].priority;
}

void ruleset_set_hider(struct ruleset *ruleset, size_t rule, size_t line,
		       const struct text_hider *hider)
{
	match_line_set_hider(ruleset->list[rule].lines[line], hider);
}

void ruleset_append(struct ruleset *ruleset, size_t rule, size_t line,
		    const struct state_event *event, struct formatter *fields, struct buf *out)
{
	match_line_append(ruleset->list[rule].lines[line], event, fields, out);
}

void ruleset_continue(struct ruleset *ruleset, const struct ruleset *before)
{
	for (size_t i = 0; i < ruleset->count; i++)
		for (size_t j = 0; j < before->count; j++)
			if (strcmp(ruleset->list[i].name, before->list[j].name) == 0) {
				ruleset->list[i].matches += before->list[j].matches;
				ruleset->list[i].undecided += before->list[j].undecided;
			}
}

const char *ruleset_matches(const struct ruleset *ruleset, size_t rule, uint64_t *matches)
{
	*matches = ruleset->list[rule].matches;
	return ruleset->list[rule].name;
}

uint64_t ruleset_undecided(const struct ruleset *ruleset, size_t rule)
{
	return ruleset->list[rule].undecided;
}

const struct rule *ruleset_rule(const struct ruleset *ruleset, size_t rule)
{
	size_t count;

	return &rules_list(ruleset->rules, &count)[rule];
}
