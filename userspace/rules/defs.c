/* SPDX-License-Identifier: MIT */
/* Texts joined from values of files; definitions by kind and name, and their values. */
#include "rules/defs.h"

#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sinsp/sinsp.h"
#include "util/nearest.h"

/* Joins values, and finds their origins. */

enum { MESSAGE_MAX = 400 };

int rules_text_add(struct rules_text *text, struct arena *arena, const struct yaml_node *node)
{
	struct rules_piece *piece = arena_alloc(arena, sizeof(*piece));

	if (!piece)
		return -ENOMEM;
	piece->at = text->first ? text->len + 1 : 0;
	piece->node = node;
	*(text->first ? text->end : &text->first) = piece;
	text->end = &piece->next;
	text->len = piece->at + node->len;
	return 0;
}

int rules_text_join(struct rules_text *text, struct arena *arena)
{
	char *data = arena_alloc(arena, text->len + 1);

	if (!data)
		return -ENOMEM;
	memset(data, ' ', text->len);
	for (const struct rules_piece *piece = text->first; piece; piece = piece->next)
		memcpy(data + piece->at, piece->node->text, piece->node->len);
	text->data = data;
	return 0;
}

const struct yaml_file *rules_text_place(const struct rules_text *text, size_t at, size_t *offset)
{
	const struct rules_piece *piece = text->first;

	while (piece->next && piece->next->at <= at)
		piece = piece->next;
	*offset = yaml_tree_offset(piece->node, at - piece->at);
	return piece->node->file;
}

void rules_text_report(struct yaml_report *report, enum yaml_severity severity,
		       const struct rules_text *text, size_t position, const char *format, ...)
{
	char message[MESSAGE_MAX];
	const struct yaml_file *file;
	size_t offset;
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	file = rules_text_place(text, position, &offset);
	yaml_report_add(report, severity, file, offset, "%s", message);
}

/* Limits the time for a large file with errors everywhere to a second. */
enum { GUESSES_MAX = 1 << 18 };

static const char *const kind_names[] = {
	[RULES_LIST] = "list",
	[RULES_MACRO] = "macro",
	[RULES_RULE] = "rule",
};

const char *rules_kind_name(enum rules_kind kind)
{
	return kind_names[kind];
}

void rules_defs_init(struct rules_defs *defs, struct yaml_report *report)
{
	*defs = (struct rules_defs){.report = report};
	defs->end = &defs->first;
}

static void keep_entry(void *entry)
{
	/* It belongs to the arena. */
}

void rules_defs_finish(struct rules_defs *defs)
{
	tdestroy(defs->index, keep_entry);
	arena_finish(&defs->arena);
	*defs = (struct rules_defs){0};
}

static int defs_compare(const void *left, const void *right)
{
	const struct rules_entry *a = left, *b = right;

	return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->name, b->name);
}

struct rules_entry *rules_defs_find(const struct rules_defs *defs, enum rules_kind kind,
				    const char *name)
{
	const struct rules_entry key = {.kind = kind, .name = name};
	struct rules_entry *const *found = tfind(&key, &defs->index, defs_compare);

	return found ? *found : NULL;
}

struct rules_entry *rules_defs_add(struct rules_defs *defs, enum rules_kind kind,
				   const struct yaml_node *name)
{
	struct rules_entry *entry = arena_alloc(&defs->arena, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->kind = kind;
	entry->name = name->text;
	if (!tsearch(entry, &defs->index, defs_compare))
		return NULL;
	*defs->end = entry;
	defs->end = &entry->next;
	defs->counts[kind]++;
	return entry;
}

const char *rules_defs_nearest(struct rules_defs *defs, enum rules_kind kind, const char *text,
			       size_t len)
{
	struct nearest nearest;

	nearest_init(&nearest, text, len);
	for (const struct rules_entry *entry = defs->first; entry && defs->guesses < GUESSES_MAX;
	     entry = entry->next, defs->guesses++)
		if (entry->kind == kind)
			nearest_offer(&nearest, entry->name);
	return nearest.word;
}

const struct yaml_node *rules_entry_value(const struct rules_entry *entry, enum rules_key key)
{
	const struct rules_part *part = entry->parts[key].last;

	return part ? part->value : NULL;
}

bool rules_entry_flag(const struct rules_entry *entry, enum rules_key key, bool otherwise)
{
	const struct yaml_node *node = rules_entry_value(entry, key);
	bool value = otherwise;

	return node && yaml_bool_read(node->text, &value) ? value : otherwise;
}

bool rules_entry_is_about_syscalls(const struct rules_entry *rule)
{
	const struct yaml_node *source = rules_entry_value(rule, KEY_SOURCE);

	return !source || strcmp(source->text, "syscall") == 0;
}

int rules_entry_add_check(struct rules_defs *defs, struct rules_entry *entry,
			  struct filter_node *node, const struct rules_text *text)
{
	struct rules_check *check = arena_alloc(&defs->arena, sizeof(*check));

	if (!check)
		return -ENOMEM;
	*check = (struct rules_check){.next = entry->checks, .node = node, .text = text};
	entry->checks = check;
	return 0;
}

int rules_value_text(struct rules_defs *defs, const struct yaml_node *node,
		     struct filter_text *text)
{
	size_t ignored, len = 0;
	char *bytes;

	*text = (struct filter_text){.data = node->text, .len = node->len};
	if (node->len < 2 || filter_lex_quoted(node->text) != node->len)
		return 0;
	bytes = arena_alloc(&defs->arena, node->len);
	if (!bytes)
		return -ENOMEM;
	/* A value with an invalid escape is used unchanged. */
	if (!filter_lex_unquote(node->text, node->len, bytes, &len, &ignored)) {
		bytes[len] = '\0';
		*text = (struct filter_text){.data = bytes, .len = len};
	}
	return 0;
}
