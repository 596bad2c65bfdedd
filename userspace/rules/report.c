/* SPDX-License-Identifier: MIT */
/* Messages about rules files, gathered and put in order. */
#include "rules/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TEXT_MAX = 512,
	EXCERPT_BEFORE = 72, /* bytes of a long line on each side of the caret */
	EXCERPT_BEHIND = 40,
};

static const char *const names[] = {
	[RULES_ERROR] = "error",
	[RULES_WARNING] = "warning",
	[RULES_NOTE] = "note",
};

void rules_report_finish(struct rules_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->messages[i].text);
	free(report->messages);
	*report = (struct rules_report){0};
}

/* Counts a message; returns where it is to be kept, or NULL. */
static struct rules_message *make_room(struct rules_report *report, enum rules_severity severity)
{
	struct rules_message *messages = report->messages;

	/* Whatever else there is, errors must have room. */
	if (report->counts[severity]++ >= RULES_MESSAGES_MAX)
		return NULL;
	if (report->count % RULES_MESSAGES_MAX == 0)
		messages =
			realloc(messages, (report->count + RULES_MESSAGES_MAX) * sizeof(*messages));
	if (!messages) {
		report->failed = true;
		return NULL;
	}
	report->messages = messages;
	return &messages[report->count];
}

static void keep(struct rules_report *report, struct rules_message *message, struct buf *text)
{
	buf_append_char(text, '\0');
	if (text->failed) {
		report->failed = true;
		buf_finish(text);
		return;
	}
	message->text = text->data;
	report->count++;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line at an offset, as much of it as fits a screen, and a caret below the offset. */
static void append_excerpt(struct buf *out, const struct rules_file *file, size_t offset)
{
	const char *data = file->data;
	size_t start = offset, end = offset;

	while (start > 0 && offset - start < EXCERPT_BEFORE && !is_line_end(data[start - 1]))
		start--;
	while (end < file->len && end - offset < EXCERPT_BEHIND && !is_line_end(data[end]))
		end++;
	while (start < offset && continues_character(data[start]))
		start++;
	while (end > offset && end < file->len && continues_character(data[end]))
		end--;
	BUF_LITERAL(out, "  ");
	if (start > 0 && !is_line_end(data[start - 1]))
		BUF_LITERAL(out, "...");
	for (size_t i = start; i < end; i++) {
		bool is_control = (unsigned char)data[i] < ' ' && data[i] != '\t';

		buf_append_char(out, is_control ? '.' : data[i]);
	}
	BUF_LITERAL(out, "\n  ");
	if (start > 0 && !is_line_end(data[start - 1]))
		BUF_LITERAL(out, "   ");
	/* Below its byte in any font: tabs stay, and a character of UTF-8 is one blank. */
	for (size_t i = start; i < offset; i++)
		if (!continues_character(data[i]))
			buf_append_char(out, data[i] == '\t' ? '\t' : ' ');
	BUF_LITERAL(out, "^\n");
}

void rules_report_add(struct rules_report *report, enum rules_severity severity,
		      const struct rules_file *file, size_t offset, const char *format, ...)
{
	struct rules_message *message = make_room(report, severity);
	char text[TEXT_MAX];
	struct buf out = {0};
	va_list args;

	if (!message)
		return;
	if (offset > file->len)
		offset = file->len;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	message->severity = severity;
	message->file = file->number;
	rules_file_position(file, offset, &message->line, &message->column);
	buf_printf(&out, "%s:%u:%u: %s: %s\n", file->path, message->line, message->column,
		   names[severity], text);
	append_excerpt(&out, file, offset);
	keep(report, message, &out);
}

void rules_report_add_file(struct rules_report *report, enum rules_severity severity,
			   unsigned int number, const char *path, const char *text)
{
	struct rules_message *message = make_room(report, severity);
	struct buf out = {0};

	if (!message)
		return;
	*message = (struct rules_message){.severity = severity, .file = number};
	buf_printf(&out, "%s: %s: %s\n", path, names[severity], text);
	keep(report, message, &out);
}

static int compare(const void *left, const void *right)
{
	const struct rules_message *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return (int)a->severity - (int)b->severity;
}

void rules_report_render(struct rules_report *report, enum rules_severity least, struct buf *out)
{
	if (report->count)
		qsort(report->messages, report->count, sizeof(report->messages[0]), compare);
	for (size_t i = 0; i < report->count; i++)
		if (report->messages[i].severity <= least)
			buf_append_string(out, report->messages[i].text);
	if (report->counts[RULES_ERROR] > RULES_MESSAGES_MAX)
		buf_printf(out, "%zu errors%s, of which %d are shown\n",
			   report->counts[RULES_ERROR],
			   rules_report_is_full(report) ? " or more" : "", RULES_MESSAGES_MAX);
}
