/* SPDX-License-Identifier: MIT */
/* Lists views, for people who choose one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/commands/commands.h"
#include "agent/commands/list.h"
#include "agent/options/view.h"
#include "util/terminal.h"
#include "views/folder.h"

enum { FOLD = 2 };

static const char *const titles[] = {"VIEW", "KIND", "QUESTION", "TITLE", NULL};

/* A list, and the messages about files that are wrong. */
struct views_listing {
	struct list list;
	struct buf messages;
	struct arena names; /* of views that the pattern does not select */
};

/* Files are those of users: a cell is one line without control characters. */
static void add_view_text(struct list *list, const char *text)
{
	struct buf *cells = &list->table.cells;
	size_t start = cells->len;

	buf_append_string(cells, text);
	if (!cells->failed)
		terminal_mask(cells->data + start, cells->len - start);
	table_end_cell(&list->table);
}

/* "spy_port PORT": the name with its arguments. */
static void add_name(struct list *list, const struct views_view *view)
{
	struct buf text = {0};

	buf_append_string(&text, view->name);
	for (unsigned int i = 0; i < view->args_count; i++)
		buf_printf(&text, view->args[i].otherwise ? " [%s]" : " %s", view->args[i].name);
	if (view->approximates[0])
		BUF_LITERAL(&text, " ~");
	buf_append_char(&text, '\0');
	add_view_text(list, text.failed ? view->name : text.data);
	buf_finish(&text);
}

static void list_views_add_row(struct list *list, const struct views_view *view)
{
	add_name(list, view);
	list_add_cell(list, views_kind_name(view->kind));
	add_view_text(list, view->question);
	add_view_text(list, view->title);
}

static void add_columns(struct list *list, const struct views_view *view, bool of_values)
{
	struct views_column column = {.is_value = of_values};
	uint8_t count = of_values ? view->values_count : view->keys_count;

	list_add_key(list, of_values ? "values" : "keys");
	buf_append_char(&list->json, '[');
	for (; column.index < count; column.index++)
		list_add_element(list, views_column_name(view, &column));
	buf_append_char(&list->json, ']');
}

static void list_views_add_object(struct list *list, const struct views_view *view)
{
	list_add_object(list);
	list_add_string(list, "view", view->name);
	list_add_string(list, "title", view->title);
	list_add_string(list, "question", view->question);
	list_add_string(list, "description", view->description);
	list_add_string(list, "approximates", view->approximates);
	list_add_string(list, "kind", views_kind_name(view->kind));
	list_add_string(list, "filter", view->filter);
	list_add_key(list, "args");
	buf_append_char(&list->json, '[');
	for (unsigned int i = 0; i < view->args_count; i++)
		list_add_element(list, view->args[i].name);
	buf_append_char(&list->json, ']');
	add_columns(list, view, false);
	add_columns(list, view, true);
	list_add_key(list, "drill");
	buf_append_char(&list->json, '[');
	for (const char *const *name = (const char *const *)view->drill; name && *name; name++)
		list_add_element(list, *name);
	BUF_LITERAL(&list->json, "]}\n");
}

static int list_views_see(void *context, const struct yaml_file *file)
{
	const struct views_config config = {.checks = true};
	struct views_listing *listing = context;
	struct list *list = &listing->list;
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	int r = views_view_read(file, &config, &view, &report);

	yaml_report_render(&report, YAML_WARNING, &listing->messages);
	yaml_report_finish(&report);
	if (r)
		return r == -ENOMEM ? r : 0;
	if (!list_matches(list, view->name) &&
	    !(list->verbose &&
	      (list_matches(list, view->question) || list_matches(list, view->title)))) {
		const char *name = arena_text(&listing->names, view->name, strlen(view->name));

		if (name)
			nearest_offer(&list->nearest, name);
		views_view_destroy(view);
		return name ? 0 : -ENOMEM;
	}
	if (list->format->objects)
		list_views_add_object(list, view);
	else
		list_views_add_row(list, view);
	list->found++;
	views_view_destroy(view);
	return 0;
}

int list_views_run(const struct options *options)
{
	struct options_view_folders folders;
	struct views_listing listing = {0};
	struct views_folders places;
	struct error err = {""};
	int r = options_view_folders_init(&folders, options->view_folders,
					  options->view_folders_count, &err);

	list_init(&listing.list, options, titles, FOLD);
	places = options_view_places(&folders);
	if (r == 0)
		r = views_folder_each(&places, list_views_see, &listing, &err);
	terminal_print(stderr, &listing.messages);
	buf_finish(&listing.messages);
	options_view_folders_finish(&folders);
	if (r == 0)
		r = list_print(&listing.list, "views");
	else
		list_finish(&listing.list);
	arena_finish(&listing.names);
	return err.text[0] ? command_fail(EXIT_FAILURE, &err) : r;
}
