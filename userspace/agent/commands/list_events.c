/* SPDX-License-Identifier: MIT */
/* Tables of events and their parameters, as text and JSON. */
#include "agent/commands/commands.h"

#include "agent/commands/list.h"
#include "event/names.h"
#include "sinsp/sinsp.h"
#include "util/count.h"

enum { FOLD = 2 };

static const char *const titles[] = {"EVENT", "CATEGORY", "NOTES", "PARAMETERS", NULL};
static const char *const titles_verbose[] = {"EVENT", "PARAMETER", "TYPE", "VALUES", NULL};

static const struct list_flag flag_names[] = {
	{EF_CREATES_FD, "creates_fd", "makes a descriptor"},
	{EF_DESTROYS_FD, "destroys_fd", "closes a descriptor"},
	{EF_USES_FD, "uses_fd", NULL},
	{EF_READS_FROM_FD, "reads", NULL},
	{EF_WRITES_TO_FD, "writes", NULL},
	{EF_MODIFIES_STATE, "changes_state", NULL},
	{EF_WAITS, "waits", "may wait"},
	{EF_ON_REQUEST, "on_request", "captured when a filter names it"},
	{EF_RECORDED, "recorded", "in capture files only"},
};

static const char *list_events_category_of(const struct event_desc *desc)
{
	const char *name = event_category_name(desc->category);

	return name ? name : "I/O";
}

static bool is_extension(const struct event_desc *desc)
{
	return desc->id >= EVENT_EXTENSION_FIRST;
}

static const char *syscall_of(const struct event_desc *desc)
{
	return desc->syscall != SC_unknown ? syscall_name(desc->syscall) : NULL;
}

/* The source of the event, unless its name shows it. */
static void append_source(struct buf *out, const struct event_desc *desc)
{
	const char *syscall = syscall_of(desc);

	if (desc->id == EVENT_syscall)
		BUF_LITERAL(out, "; calls without a specific event");
	else if (desc->tracepoint)
		buf_printf(out, "; tracepoint %s", desc->tracepoint);
	else if (syscall && strcmp(syscall, desc->name) != 0)
		buf_printf(out, "; system call %s", syscall);
}

static bool has_flag(const struct param_desc *param, const struct list *list)
{
	for (const struct param_flag *flag = param->set; flag && flag->name; flag++)
		if (list_matches(list, flag->name))
			return true;
	return false;
}

static bool param_matches(const struct param_desc *param, const struct list *list)
{
	return list_matches(list, param->name) || has_flag(param, list);
}

static void list_events_add_notes(struct list *list, const struct event_desc *desc)
{
	struct buf *out = &list->table.cells;

	if (is_extension(desc))
		buf_printf(out, "id %u, an extension", desc->id);
	else
		buf_printf(out, "id %u", desc->id);
	append_source(out, desc);
	for (size_t i = 0; i < COUNT(flag_names); i++)
		if (flag_names[i].note && (desc->flags & flag_names[i].flag))
			buf_printf(out, "; %s", flag_names[i].note);
	table_end_cell(&list->table);
}

static void list_events_add_row(struct list *list, const struct event_desc *desc)
{
	struct buf *out = &list->table.cells;

	list_add_cell(list, desc->name);
	list_add_cell(list, list_events_category_of(desc));
	list_events_add_notes(list, desc);
	for (unsigned int i = 0; i < desc->nparams; i++)
		buf_printf(out, "%s%s:%s", i ? " " : "", desc->params[i].name,
			   event_param_type_name(desc->params[i].type));
	table_end_cell(&list->table);
}

/* The names of the values, or the number format if it is not decimal. */
static void list_events_add_values(struct list *list, const struct param_desc *param)
{
	struct buf *out = &list->table.cells;

	if (param->set) {
		buf_printf(out, "%s:", param_set_name(param->set));
		for (const struct param_flag *flag = param->set; flag->name; flag++)
			buf_printf(out, " %s", flag->name);
	} else if (param->format == PF_HEX || param->format == PF_OCT) {
		buf_append_string(out, event_param_format_name(param->format));
	}
	table_end_cell(&list->table);
}

/* all: the event itself matches; else only matching parameters are added. */
static void add_params(struct list *list, const struct event_desc *desc, bool all)
{
	for (unsigned int i = 0; i < desc->nparams; i++) {
		if (!all && !param_matches(&desc->params[i], list))
			continue;
		list_add_cell(list, desc->name);
		list_add_cell(list, desc->params[i].name);
		list_add_cell(list, event_param_type_name(desc->params[i].type));
		list_events_add_values(list, &desc->params[i]);
	}
}

static void add_set(struct list *list, const struct param_desc *param)
{
	list_add_string(list, "set", param_set_name(param->set));
	if (!list->verbose)
		return;
	list_add_key(list, "values");
	buf_append_char(&list->json, '{');
	for (const struct param_flag *flag = param->set; flag && flag->name; flag++)
		list_add_number(list, flag->name, flag->value);
	buf_append_char(&list->json, '}');
}

static void add_param_objects(struct list *list, const struct event_desc *desc)
{
	list_add_key(list, "parameters");
	buf_append_char(&list->json, '[');
	for (unsigned int i = 0; i < desc->nparams; i++) {
		const struct param_desc *param = &desc->params[i];

		list_add_object(list);
		list_add_string(list, "name", param->name);
		list_add_string(list, "type", event_param_type_name(param->type));
		list_add_number(list, "bytes", param_type_size(param->type));
		list_add_string(list, "format", event_param_format_name(param->format));
		list_add_string(list, "json", param_json_type(desc, i));
		add_set(list, param);
		list_add_bool(list, "own", is_extension(desc) || param->extension);
		buf_append_char(&list->json, '}');
	}
	buf_append_char(&list->json, ']');
}

static void list_events_add_object(struct list *list, const struct event_desc *desc)
{
	list_add_object(list);
	list_add_string(list, "name", desc->name);
	list_add_number(list, "id", desc->id);
	list_add_string(list, "category", list_events_category_of(desc));
	list_add_string(list, "syscall", syscall_of(desc));
	list_add_string(list, "tracepoint", desc->tracepoint);
	list_add_bool(list, "own", is_extension(desc));
	list_add_flags(list, "flags", desc->flags, flag_names, COUNT(flag_names));
	add_param_objects(list, desc);
	BUF_LITERAL(&list->json, "}\n");
}

static bool any_param_matches(const struct event_desc *desc, const struct list *list)
{
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (param_matches(&desc->params[i], list))
			return true;
	return false;
}

static void list_events_add(struct list *list, const struct event_desc *desc)
{
	bool named = list_matches(list, desc->name);

	if (!named && !(list->verbose && any_param_matches(desc, list))) {
		nearest_offer(&list->nearest, desc->name);
		return;
	}
	list->found++;
	if (list->format->objects)
		list_events_add_object(list, desc);
	else if (list->verbose)
		add_params(list, desc, named);
	else
		list_events_add_row(list, desc);
}

int list_events_run(const struct options *options)
{
	struct list list;

	list_init(&list, options, options->verbose ? titles_verbose : titles, FOLD);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id) && !(event_desc_get(id)->flags & EF_UNSEEN))
			list_events_add(&list, event_desc_get(id));
	return list_print(&list, "events");
}
