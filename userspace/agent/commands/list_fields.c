/* SPDX-License-Identifier: MIT */
/* The table of fields, as text and JSON. */
#include "agent/commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "agent/commands/list.h"
#include "event/names.h"
#include "sinsp/sinsp.h"
#include "util/count.h"
#include "util/json.h"

enum { FOLD = 2 };

static const char *const titles[] = {"FIELD", "TYPE", "MEANING", "EXAMPLE", "NOTES", NULL};
static const char *const titles_verbose[] = {"FIELD", "TYPE",  "MEANING", "EXAMPLE",
					     "NOTES", "STATE", NULL};

static const struct list_flag flag_names[] = {
	{FIELD_LIST, "list", "several values"},
	{FIELD_FILTER_ONLY, "filter_only", "for filters only"},
	{FIELD_ANCESTORS, "ancestors", "in filters: any ancestor"},
	{FIELD_EITHER_END, "either_end", "in filters: either end"},
	{FIELD_NAMES_TYPES, "type_family", "an older call selects its newer forms"},
	{FIELD_NO_TRANSFORMER, "no_transformer", "not in transformers"},
	{FIELD_DEPRECATED, "deprecated", "kept for old filters"},
};

static const struct list_flag state_names[] = {
	{NEEDS_THREADS, "threads", NULL},
	{NEEDS_FDS, "descriptors", NULL},
	{NEEDS_CWD, "directories", NULL},
	{NEEDS_EVENT_FD, "descriptor of the event", NULL},
	{NEEDS_EVENT_FDS, "descriptors of the event", NULL},
	{NEEDS_EVENT_PATHS | NEEDS_EVENT_REAL_PATHS, "paths of the event", NULL},
	{NEEDS_SWITCHES, "switches", NULL},
	{NEEDS_CREATED, "files that are made", NULL},
	{NEEDS_CONTAINERS, "containers", NULL},
	{NEEDS_DESCRIPTIONS, "descriptions of containers", NULL},
	{NEEDS_PODS, "pods", NULL},
	{NEEDS_SERVICES, "services", NULL},
	{NEEDS_PEERS, "other ends", NULL},
	{NEEDS_TRANSLATIONS, "translated addresses", NULL},
	{NEEDS_ENTER_TIME, "enter times", NULL},
	{NEEDS_ARGUMENTS, "arguments on entry", NULL},
	{NEEDS_ENVIRONMENT | NEEDS_EVENT_ENVIRONMENT, "environments", NULL},
};

static const char *const argument_forms[] = {
	[FIELD_ARG_INDEX] = "[N]",	  [FIELD_ARG_KEY] = "[NAME]",
	[FIELD_ARG_LABEL] = "[NAME]",	  [FIELD_ARG_KEY_OR_INDEX] = "[N] or [NAME]",
	[FIELD_ARG_NUMBER] = "[N]",	  [FIELD_ARG_PARAM] = ".NAME or [N]",
	[FIELD_ARG_PARAM_NAME] = ".NAME", [FIELD_ARG_EVENT] = ".NAME",
	[FIELD_ARG_WORD] = ".NAME",
};

/* The types of times are those of the .scap world, where some durations are times. */
static const char *type_of(const struct field_desc *desc)
{
	if (desc->type == PT_RELTIME || desc->type == PT_ABSTIME || desc->moment)
		return event_param_type_name(desc->moment ? PT_ABSTIME : PT_RELTIME);
	return event_param_type_name(desc->type);
}

/* Appends a part, after a separator unless it is the first. */
static void append_part(struct buf *out, size_t start, const char *separator, const char *part)
{
	if (out->len > start)
		buf_append_string(out, separator);
	buf_append_string(out, part);
}

static void list_fields_add_notes(struct list *list, const struct field_desc *desc)
{
	struct buf *out = &list->table.cells;
	size_t start = out->len;

	if (desc->arg != FIELD_ARG_NONE) {
		buf_append_string(out, desc->flags & FIELD_ARG_REQUIRED ? "needs " : "takes ");
		buf_append_string(out, argument_forms[desc->arg]);
	}
	for (size_t i = 0; i < COUNT(flag_names); i++)
		if (desc->flags & flag_names[i].flag)
			append_part(out, start, "; ", flag_names[i].note);
	table_end_cell(&list->table);
}

static void list_fields_add_state(struct list *list, const struct field_desc *desc)
{
	struct buf *out = &list->table.cells;
	size_t start = out->len;

	for (size_t i = 0; i < COUNT(state_names); i++)
		if (desc->needs & state_names[i].flag)
			append_part(out, start, ", ", state_names[i].name);
	table_end_cell(&list->table);
}

static void list_fields_add_row(struct list *list, const struct field_desc *desc)
{
	list_add_cell(list, desc->name);
	list_add_cell(list, type_of(desc));
	list_add_cell(list, desc->help);
	field_append_example(desc, &list->table.cells);
	table_end_cell(&list->table);
	list_fields_add_notes(list, desc);
	if (list->verbose)
		list_fields_add_state(list, desc);
}

static void add_argument(struct list *list, const struct field_desc *desc)
{
	list_add_key(list, "argument");
	if (desc->arg == FIELD_ARG_NONE) {
		BUF_LITERAL(&list->json, "null");
		return;
	}
	buf_append_char(&list->json, '{');
	list_add_string(list, "form", argument_forms[desc->arg]);
	list_add_bool(list, "required", desc->flags & FIELD_ARG_REQUIRED);
	buf_append_char(&list->json, '}');
}

static void add_lists(struct list *list, const struct field_desc *desc)
{
	list_add_flags(list, "flags", desc->flags, flag_names, COUNT(flag_names));
	list_add_flags(list, "state", desc->needs, state_names, COUNT(state_names));
}

/* The name in a schema, and what is done to the value. NULL: no such name. */
static void add_key(struct list *list, const struct schema *schema, const char *text,
		    const struct field_desc *desc)
{
	struct buf key = {0};
	enum schema_form form;

	if (!text) {
		list_add_string(list, "key", NULL);
		return;
	}
	form = schema_append_key(schema, text, strlen(text), strlen(desc->name), &key);
	buf_append_char(&key, '\0');
	list->json.failed |= key.failed;
	list_add_string(list, "key", key.failed ? NULL : key.data);
	list_add_string(list, "form", schema_form_meaning(form));
	buf_finish(&key);
}

static void list_fields_add_schemas(struct list *list, const struct field_desc *desc)
{
	bool stands_alone = !(desc->flags & (FIELD_ARG_REQUIRED | FIELD_FILTER_ONLY));
	const struct schema *schema;
	char with_argument[128];

	snprintf(with_argument, sizeof(with_argument), "%s%s", desc->name,
		 desc->arg == FIELD_ARG_NONE ? "" : argument_forms[desc->arg]);
	with_argument[strcspn(with_argument, " ")] = '\0'; /* the first of several forms */
	for (unsigned int i = 0; (schema = schema_get(i)); i++) {
		if (!schema->renames || schema->keeps_names)
			continue;
		list_add_key(list, schema->name);
		buf_append_char(&list->json, '{');
		add_key(list, schema, stands_alone ? desc->name : NULL, desc);
		if (desc->arg != FIELD_ARG_NONE) {
			list_add_key(list, "argument");
			buf_append_char(&list->json, '{');
			add_key(list, schema, with_argument, desc);
			buf_append_char(&list->json, '}');
		}
		buf_append_char(&list->json, '}');
	}
}

static void list_fields_add_object(struct list *list, const struct field_desc *desc)
{
	struct buf example = {0};

	list_add_object(list);
	list_add_string(list, "name", desc->name);
	list_add_key(list, "class");
	json_append_string(&list->json, desc->name, strcspn(desc->name, "."));
	list_add_string(list, "type", type_of(desc));
	list_add_string(list, "json",
			desc->flags & FIELD_FILTER_ONLY ? NULL : format_json_form(desc));
	add_argument(list, desc);
	add_lists(list, desc);
	list_fields_add_schemas(list, desc);
	list_add_string(list, "help", desc->help);
	field_append_example(desc, &example);
	list_add_key(list, "example");
	json_append_string(&list->json, example.data, example.len);
	BUF_LITERAL(&list->json, "}\n");
	list->json.failed |= example.failed;
	buf_finish(&example);
}

static void list_fields_add(struct list *list, const struct field_desc *desc)
{
	if (!list_matches(list, desc->name) && !(list->verbose && list_matches(list, desc->help))) {
		nearest_offer(&list->nearest, desc->name);
		return;
	}
	list->found++;
	if (list->format->objects)
		list_fields_add_object(list, desc);
	else
		list_fields_add_row(list, desc);
}

int list_fields_run(const struct options *options)
{
	struct list list;

	list_init(&list, options, options->verbose ? titles_verbose : titles, FOLD);
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			list_fields_add(&list, desc);
	return list_print(&list, "fields");
}
