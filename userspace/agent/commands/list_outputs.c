/* SPDX-License-Identifier: MIT */
/* Lists kinds and keys, from their tables. */
#include "agent/commands/commands.h"

#include "agent/commands/list.h"
#include "output/targets/kinds.h"
#include "sinsp/sinsp.h"
#include "util/json.h"

enum { FOLD = 3 };

static const char *const titles[] = {"OUTPUT", "KEY", "DEFAULT", "MEANING", NULL};

/* Of keys, as objects name them. */
static const char *const value_names[] = {
	[OUTPUT_TEXT] = "text", [OUTPUT_FILE] = "text",	  [OUTPUT_FILE_WRITTEN] = "text",
	[OUTPUT_LIST] = "list", [OUTPUT_BYTES] = "bytes", [OUTPUT_COUNT] = "count",
	[OUTPUT_TIME] = "time", [OUTPUT_FLAG] = "flag",	  [OUTPUT_WORD] = "word",
};

static void add_key_row(struct list *list, const char *name, const struct output_key *key)
{
	list_add_cell(list, name);
	buf_printf(&list->table.cells, "%s=%s", key->name, key->argument);
	table_end_cell(&list->table);
	list_add_cell(list, key->fallback ? key->fallback : "");
	list_add_cell(list, key->help);
}

static void add_words(struct list *list, const char *key, const char *const *words)
{
	list_add_key(list, key);
	buf_append_char(&list->json, '[');
	for (; words && *words; words++)
		list_add_element(list, *words);
	buf_append_char(&list->json, ']');
}

static void add_key_object(struct list *list, const struct output_key *key)
{
	list_add_object(list);
	list_add_string(list, "name", key->name);
	list_add_string(list, "argument", key->argument);
	list_add_string(list, "type", value_names[key->value]);
	list_add_string(list, "default", key->fallback);
	add_words(list, "words", key->words);
	list_add_string(list, "help", key->help);
	buf_append_char(&list->json, '}');
}

/* "json, text"; of a kind that takes all, all formats of events. */
static void append_formats(const struct output_kind *kind, struct buf *out)
{
	const struct output_format *format;
	const char *separator = "";

	for (size_t i = 0; kind->formats && kind->formats[i]; i++)
		buf_printf(out, "%s%s", i ? ", " : "", kind->formats[i]);
	for (unsigned int i = 0; !kind->formats && (format = output_format_get(i)); i++) {
		if (!output_format_has_events(format) || format->silent)
			continue;
		buf_printf(out, "%s%s", separator, format->name);
		separator = ", ";
	}
}

/* What keys of all outputs are by default in this kind. */
static void add_default_rows(struct list *list, const char *name, const struct output_kind *kind)
{
	list_add_cell(list, name);
	list_add_cell(list, "format=FORMAT");
	list_add_cell(list, output_kind_format(kind));
	BUF_LITERAL(&list->table.cells, "of records; it takes ");
	append_formats(kind, &list->table.cells);
	table_end_cell(&list->table);
	list_add_cell(list, name);
	list_add_cell(list, "schema=SCHEMA");
	list_add_cell(list, output_kind_schema(kind));
	BUF_LITERAL(&list->table.cells, "names and forms of fields");
	for (const struct output_default *row = kind->defaults; row && row->with; row++)
		buf_printf(&list->table.cells, "; default with %s: %s", row->with, row->schema);
	table_end_cell(&list->table);
}

static void add_head_row(struct list *list, const char *name, const char *target, const char *help)
{
	buf_printf(&list->table.cells, "%s%s", name, target);
	table_end_cell(&list->table);
	list_add_cell(list, "");
	list_add_cell(list, "");
	list_add_cell(list, help);
}

static void add_key_rows(struct list *list, const char *name, const struct output_key *keys)
{
	for (; keys && keys->name; keys++)
		add_key_row(list, name, keys);
}

static void add_kind_rows(struct list *list, const char *name, const struct output_kind *kind)
{
	add_head_row(list, name, kind->target, kind->help);
	if (output_kind_takes_records(kind))
		add_default_rows(list, name, kind);
	add_key_rows(list, name, kind->keys);
	for (const char *const *common = kind->common; common && *common; common++)
		add_key_row(list, name, output_key_find(OUTPUT_KEYS, *common));
}

/* The default schema, and that of each "KEY=VALUE" with another one. */
static void list_outputs_add_schemas(struct list *list, const struct output_kind *kind)
{
	list_add_string(list, "schema", output_kind_schema(kind));
	list_add_key(list, "schemas");
	buf_append_char(&list->json, '{');
	for (const struct output_default *row = kind->defaults; row && row->with; row++)
		list_add_string(list, row->with, row->schema);
	buf_append_char(&list->json, '}');
}

static void add_kind_object(struct list *list, const struct output_kind *kind)
{
	list_add_object(list);
	add_words(list, "names", kind->names);
	list_add_string(list, "target", kind->target);
	list_add_string(list, "help", kind->help);
	list_add_bool(list, "acknowledges", kind->acknowledges);
	list_add_bool(list, "passes_dotted", kind->passes_dotted);
	add_words(list, "formats", kind->formats);
	list_add_string(list, "format", output_kind_format(kind));
	list_outputs_add_schemas(list, kind);
	add_words(list, "common", kind->common);
	list_add_key(list, "keys");
	buf_append_char(&list->json, '[');
	for (const struct output_key *key = kind->keys; key && key->name; key++)
		add_key_object(list, key);
	BUF_LITERAL(&list->json, "]}\n");
}

/* "http:, https:" */
static void list_outputs_append_names(const struct output_kind *kind, struct buf *out)
{
	for (const char *const *name = kind->names; *name; name++)
		buf_printf(out, "%s%s:", name == kind->names ? "" : ", ", *name);
	buf_append_char(out, '\0');
}

static bool matches(struct list *list, const struct output_kind *kind)
{
	bool any = list->verbose && list_matches(list, kind->help);

	for (const char *const *name = kind->names; *name; name++) {
		any |= list_matches(list, *name);
		nearest_offer(&list->nearest, *name);
	}
	return any;
}

static void add_kind(struct list *list, const struct output_kind *kind)
{
	struct buf names = {0};

	if (!matches(list, kind))
		return;
	list->found++;
	list_outputs_append_names(kind, &names);
	if (list->format->objects)
		add_kind_object(list, kind);
	else if (!names.failed)
		add_kind_rows(list, names.data, kind);
	buf_finish(&names);
}

/* The keys that all kinds have. */
static void add_common(struct list *list)
{
	if (list->pattern)
		return;
	if (!list->format->objects) {
		add_head_row(list, "all", "", "the keys of all outputs");
		add_key_rows(list, "all", OUTPUT_KEYS);
		return;
	}
	list_add_object(list);
	list_add_key(list, "keys");
	buf_append_char(&list->json, '[');
	for (const struct output_key *key = OUTPUT_KEYS; key->name; key++)
		add_key_object(list, key);
	BUF_LITERAL(&list->json, "]}\n");
}

int list_outputs_run(const struct options *options)
{
	struct list list;

	list_init(&list, options, titles, FOLD);
	add_common(&list);
	for (size_t i = 0; output_kinds[i]; i++)
		add_kind(&list, output_kinds[i]);
	return list_print(&list, "outputs");
}
