/* SPDX-License-Identifier: MIT */
/* Collects and sorts messages about rules files. */
#include "rules/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/excerpt.h"

enum { TEXT_MAX = 512 };

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

/* Counts a message. Returns the memory for it, or NULL if it is not kept. */
static struct rules_message *make_room(struct rules_report *report, enum rules_severity severity)
{
	struct rules_message *messages = report->messages;

	/* Each severity has its own limit, so that there is space for errors. */
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
	excerpt_make_plain(text, strlen(text));
	message->severity = severity;
	message->file = file->number;
	rules_file_position(file, offset, &message->line, &message->column);
	buf_printf(&out, "%s:%u:%u: %s: %s\n", file->path, message->line, message->column,
		   names[severity], text);
	excerpt_append(file->data, file->len, offset, &out);
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
