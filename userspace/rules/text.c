/* SPDX-License-Identifier: MIT */
/* Joins values, and finds their origins. */
#include "rules/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
