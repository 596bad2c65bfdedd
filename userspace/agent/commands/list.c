/* SPDX-License-Identifier: MIT */
/* Lists: patterns, output, and the message if nothing was found. */
#include "agent/commands/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/json.h"
#include "util/terminal.h"

void list_init(struct list *list, const struct options *options, const char *const *titles,
	       unsigned int fold)
{
	*list = (struct list){
		.pattern = options->operand,
		.verbose = options->verbose,
		.format = options->format ? &options->format->lists : &format_text.lists,
	};
	table_init(&list->table, titles, fold);
	if (list->pattern)
		nearest_init(&list->nearest, list->pattern, strlen(list->pattern));
}

bool list_matches(const struct list *list, const char *text)
{
	if (!list->pattern)
		return true;
	if (strpbrk(list->pattern, "*?"))
		return fnmatch(list->pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, list->pattern) != NULL;
}

void list_add_cell(struct list *list, const char *text)
{
	buf_append_string(&list->table.cells, text);
	table_end_cell(&list->table);
}

/* Adds a comma, except after an opening bracket and at the start of a line. */
static void add_comma(struct list *list)
{
	const struct buf *json = &list->json;

	if (json->len && !strchr("{[\n", json->data[json->len - 1]))
		buf_append_char(&list->json, ',');
}

void list_add_element(struct list *list, const char *text)
{
	add_comma(list);
	json_append_string(&list->json, text, strlen(text));
}

void list_add_object(struct list *list)
{
	add_comma(list);
	buf_append_char(&list->json, '{');
}

void list_add_key(struct list *list, const char *key)
{
	list_add_element(list, key);
	buf_append_char(&list->json, ':');
}

void list_add_number(struct list *list, const char *key, uint64_t value)
{
	list_add_key(list, key);
	json_append_u64(&list->json, value);
}

void list_add_string(struct list *list, const char *key, const char *text)
{
	list_add_key(list, key);
	if (text)
		json_append_string(&list->json, text, strlen(text));
	else
		BUF_LITERAL(&list->json, "null");
}

void list_add_bool(struct list *list, const char *key, bool value)
{
	list_add_key(list, key);
	buf_append_string(&list->json, value ? "true" : "false");
}

void list_add_flags(struct list *list, const char *key, unsigned int set,
		    const struct list_flag *rows, size_t count)
{
	list_add_key(list, key);
	buf_append_char(&list->json, '[');
	for (size_t i = 0; i < count; i++)
		if (set & rows[i].flag)
			list_add_element(list, rows[i].name);
	buf_append_char(&list->json, ']');
}

static void complain(const struct list *list, const char *what)
{
	fprintf(stderr, "agent: no %s match '%s'", what, list->pattern);
	if (list->nearest.word)
		fprintf(stderr, "; did you mean '%s'?", list->nearest.word);
	if (!list->verbose)
		fputs(" (-v searches more than their names)", stderr);
	fputc('\n', stderr);
}

int list_print(struct list *list, const char *what)
{
	struct buf *out = &list->json;
	int exit_code = EXIT_FAILURE;

	if (!list->format->objects)
		list->format->append_table(&list->table, terminal_width(STDOUT_FILENO), out);
	if (!list->found)
		complain(list, what);
	else if (out->failed || list->table.cells.failed)
		fputs("agent: out of memory\n", stderr);
	else if (fwrite(out->data, 1, out->len, stdout) == out->len && fflush(stdout) == 0)
		exit_code = EXIT_SUCCESS;
	else
		fprintf(stderr, "agent: cannot write to standard output: %s\n", strerror(errno));
	list_finish(list);
	return exit_code;
}

void list_finish(struct list *list)
{
	table_finish(&list->table);
	buf_finish(&list->json);
}
