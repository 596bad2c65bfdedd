/* SPDX-License-Identifier: MIT */
/* Captures the messages of libbpf. */
#include "scap/live/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

/* libbpf's callback has no argument for the log; this is set only during loading. */
static _Thread_local struct live_log *current_log;

__attribute__((format(printf, 2, 0))) static int print_to_log(enum libbpf_print_level level,
							      const char *format, va_list args)
{
	struct live_log *log = current_log;
	va_list again;
	int n;

	if (!log || level == LIBBPF_DEBUG)
		return 0;
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0 || !buf_reserve(&log->text, (size_t)n + 1))
		return 0;
	vsnprintf(log->text.data + log->text.len, (size_t)n + 1, format, args);
	log->text.len += (size_t)n;
	return n;
}

void live_log_begin(struct live_log *log)
{
	buf_clear(&log->text);
	current_log = log;
	libbpf_set_print(print_to_log);
}

void live_log_end(struct live_log *log)
{
	current_log = NULL;
	buf_append_char(&log->text, '\0');
}

void live_log_append(struct live_log *log, const char *text)
{
	/* It ends with a NUL. */
	if (log->text.len)
		log->text.len--;
	buf_append(&log->text, text, strlen(text) + 1);
}

static const char *log_text(const struct live_log *log)
{
	return log->text.len && !log->text.failed ? log->text.data : "";
}

void live_log_show(const struct live_log *log)
{
	if (log->verbose)
		fputs(log_text(log), stderr);
}

void live_log_finish(struct live_log *log)
{
	buf_finish(&log->text);
}

static const char *find_last(const char *text, const char *what)
{
	const char *last = NULL;

	while ((text = strstr(text, what)) != NULL)
		last = text++;
	return last;
}

static void copy_line(const char *begin, const char *end, char *line, size_t size)
{
	size_t len = (size_t)(end - begin) < size - 1 ? (size_t)(end - begin) : size - 1;

	memcpy(line, begin, len);
	line[len] = '\0';
}

void live_log_reason(const struct live_log *log, char *reason, size_t size)
{
	const char *text = log_text(log), *line = text, *end;
	const char *stop = find_last(text, "\nprocessed ");

	/*
	 * The verifier's log ends with the reason and its statistics; libbpf begins with its
	 * reason.
	 */
	if (!stop)
		stop = find_last(text, "\n-- END PROG LOAD LOG");
	reason[0] = '\0';
	for (; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (stop && line > stop)
			break;
		if (end > line && strncmp(line, "libbpf: failed to load object", 29) != 0)
			copy_line(line, end, reason, size);
		if (!stop && reason[0])
			break;
	}
}
