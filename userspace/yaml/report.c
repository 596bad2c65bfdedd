/* SPDX-License-Identifier: MIT */
/* Collects and sorts messages about files of YAML. */
#include "yaml/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/terminal.h"

enum { TEXT_MAX = 512 };

static const char *const names[] = {
	[YAML_ERROR] = "error",
	[YAML_WARNING] = "warning",
	[YAML_NOTE] = "note",
};

void yaml_report_finish(struct yaml_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->messages[i].text);
	free(report->messages);
	*report = (struct yaml_report){0};
}

/* Counts a message. Returns the memory for it, or NULL if it is not kept. */
static struct yaml_message *report_make_room(struct yaml_report *report,
					     enum yaml_severity severity)
{
	struct yaml_message *messages = report->messages;

	/* Each severity has its own limit, so that there is space for errors. */
	if (report->counts[severity]++ >= YAML_MESSAGES_MAX)
		return NULL;
	if (report->count % YAML_MESSAGES_MAX == 0)
		messages =
			realloc(messages, (report->count + YAML_MESSAGES_MAX) * sizeof(*messages));
	if (!messages) {
		report->failed = true;
		return NULL;
	}
	report->messages = messages;
	return &messages[report->count];
}

const char *yaml_severity_name(enum yaml_severity severity)
{
	return names[severity];
}

/* Appends ": error: " and what is wrong, and remembers where that is. */
static void append_what(struct yaml_message *message, const char *what, struct buf *out)
{
	buf_printf(out, ": %s: ", names[message->severity]);
	message->what_at = out->len;
	message->what_len = strlen(what);
	buf_printf(out, "%s\n", what);
}

static void report_keep(struct yaml_report *report, struct yaml_message *message, struct buf *text)
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

void yaml_report_add(struct yaml_report *report, enum yaml_severity severity,
		     const struct yaml_file *file, size_t offset, const char *format, ...)
{
	struct yaml_message *message = report_make_room(report, severity);
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
	terminal_mask(text, strlen(text));
	*message = (struct yaml_message){
		.severity = severity, .file = file->number, .path_len = strlen(file->path)};
	yaml_file_position(file, offset, &message->line, &message->column);
	buf_printf(&out, "%s:%u:%u", file->path, message->line, message->column);
	append_what(message, text, &out);
	error_append_excerpt(file->data, file->len, offset, &out);
	report_keep(report, message, &out);
}

void yaml_report_add_file(struct yaml_report *report, enum yaml_severity severity,
			  unsigned int number, const char *path, const char *text)
{
	struct yaml_message *message = report_make_room(report, severity);
	struct buf out = {0};

	if (!message)
		return;
	*message = (struct yaml_message){
		.severity = severity, .file = number, .path_len = strlen(path)};
	buf_append_string(&out, path);
	append_what(message, text, &out);
	report_keep(report, message, &out);
}

static int report_compare(const void *left, const void *right)
{
	const struct yaml_message *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return (int)a->severity - (int)b->severity;
}

void yaml_report_render(struct yaml_report *report, enum yaml_severity least, struct buf *out)
{
	if (report->count)
		qsort(report->messages, report->count, sizeof(report->messages[0]), report_compare);
	for (size_t i = 0; i < report->count; i++)
		if (report->messages[i].severity <= least)
			buf_append_string(out, report->messages[i].text);
	if (report->counts[YAML_ERROR] > YAML_MESSAGES_MAX)
		buf_printf(out, "%zu errors%s, of which %d are shown\n", report->counts[YAML_ERROR],
			   yaml_report_is_full(report) ? " or more" : "", YAML_MESSAGES_MAX);
}
