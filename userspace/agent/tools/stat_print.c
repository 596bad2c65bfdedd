/* SPDX-License-Identifier: MIT */
/* A row of functions for each form. Widths are those of perf. */
#include "agent/tools/stat_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/count.h"
#include "util/json.h"
#include "util/terminal.h"

enum {
	VALUE_COLUMNS = 18,
	UNIT_COLUMNS = 4,
	NAME_COLUMNS = 32,
	MISSING_NAME_COLUMNS = 25,
	METRIC_COLUMNS = 35,
};

static const uint64_t second_ns = 1000000000;

static double percent_running(const struct stat_line *line)
{
	return line->enabled_ns ? 100.0 * (double)line->running_ns / (double)line->enabled_ns
				: 100.0;
}

/* The number, or why there is none. */
static void format_value(const struct stat_line *line, char text[64])
{
	if (!line->supported)
		snprintf(text, 64, "<not supported>");
	else if (!line->counted)
		snprintf(text, 64, "<not counted>");
	else
		snprintf(text, 64, "%.*f", line->is_scaled ? 2 : 0, line->value);
}

static bool has_value(const struct stat_line *line)
{
	return line->supported && line->counted;
}

/*
 * "shop/web-5c4f/main", without what is not known. Users give these names: they neither control a
 * terminal nor begin a line.
 */
static void append_owner(const struct stat_owner *owner, struct buf *out)
{
	const char *const parts[] = {owner->ns, owner->pod, owner->container};
	const char *separator = "";
	size_t start = out->len;

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (!*parts[i])
			continue;
		buf_printf(out, "%s%s", separator, parts[i]);
		separator = "/";
	}
	if (out->len > start)
		terminal_mask(out->data + start, out->len - start);
}

/* Text. */

static void text_head(const struct stat_printer *printer, const char *what, struct buf *out)
{
	if (printer->has_intervals)
		buf_printf(out, "#           time             counts unit events\n");
	else
		buf_printf(out, "\n Performance counter stats for %s:\n\n", what);
}

/* "#    0.229 CPUs utilized", or blanks. */
static void text_metric(const struct stat_line *line, struct buf *out)
{
	size_t start = out->len;

	if (!line->metric_unit) {
		buf_printf(out, "%*s", METRIC_COLUMNS, "");
		return;
	}
	buf_printf(out, " # ");
	buf_printf(out, line->metric_format, line->metric);
	buf_printf(out, " %-*s", METRIC_COLUMNS - (int)(out->len - start) - 1, line->metric_unit);
}

static void text_line(const struct stat_printer *printer, const struct stat_line *line,
		      uint64_t since_ns, struct buf *out)
{
	char value[64];

	format_value(line, value);
	if (printer->has_intervals)
		buf_printf(out, "%6llu.%09llu ", (unsigned long long)(since_ns / second_ns),
			   (unsigned long long)(since_ns % second_ns));
	buf_printf(out, "%*s %-*s ", VALUE_COLUMNS, value, UNIT_COLUMNS, line->unit);
	buf_printf(out, "%-*s", has_value(line) ? NAME_COLUMNS : MISSING_NAME_COLUMNS, line->name);
	if (line->owner) {
		buf_append_char(out, ' ');
		append_owner(line->owner, out);
	}
	text_metric(line, out);
	if (printer->repeats && has_value(line) && line->deviation_percent > 0)
		buf_printf(out, "  ( +-%6.2f%% )", line->deviation_percent);
	if (has_value(line) && line->running_ns != line->enabled_ns)
		buf_printf(out, "  (%.2f%%)", percent_running(line));
	buf_append_char(out, '\n');
}

/* Two digits more than the deviation is exact to. */
static int text_precision(double deviation)
{
	int digits = deviation > 1 || deviation <= 0 ? 0 : (int)ceil(-log10(deviation));

	return deviation <= 0 ? 9 : digits + 2;
}

static void text_foot(const struct stat_printer *printer, const struct stat_times *times,
		      struct buf *out)
{
	int precision = text_precision(times->deviation_s);

	if (printer->has_intervals)
		return;
	buf_append_char(out, '\n');
	if (printer->repeats) {
		buf_printf(out, " %17.*f +- %.*f seconds time elapsed", precision, times->elapsed_s,
			   precision, times->deviation_s);
		if (times->deviation_s > 0)
			buf_printf(out, "  ( +-%6.2f%% )",
				   100 * times->deviation_s / times->elapsed_s);
		buf_append_char(out, '\n');
	} else {
		buf_printf(out, " %17.9f seconds time elapsed\n", times->elapsed_s);
	}
	if (times->has_usage)
		buf_printf(out, "\n %17.9f seconds user\n %17.9f seconds sys\n", times->user_s,
			   times->system_s);
	buf_append_string(out, "\n\n");
}

/* Columns. */

/* What is in a column neither ends it nor, with what follows it, begins a separator. */
static void mask_separator(struct buf *out, size_t start, const char *separator)
{
	static const char others[] = "._-";
	char other = others[strspn(others, separator)];

	for (size_t i = start; i < out->len; i++)
		if (strchr(separator, out->data[i]))
			out->data[i] = other;
}

static void csv_line(const struct stat_printer *printer, const struct stat_line *line,
		     uint64_t since_ns, struct buf *out)
{
	const char *separator = printer->separator;
	char value[64];

	format_value(line, value);
	if (printer->has_intervals)
		buf_printf(out, "%6llu.%09llu%s", (unsigned long long)(since_ns / second_ns),
			   (unsigned long long)(since_ns % second_ns), separator);
	buf_printf(out, "%s%s%s%s%s", value, separator, line->unit, separator, line->name);
	if (line->owner) {
		size_t start;

		buf_append_string(out, separator);
		start = out->len;
		append_owner(line->owner, out);
		mask_separator(out, start, separator);
	}
	if (printer->repeats)
		buf_printf(out, "%s%.2f%%", separator, line->deviation_percent);
	buf_printf(out, "%s%llu%s%.2f%s", separator, (unsigned long long)line->running_ns,
		   separator, percent_running(line), separator);
	if (line->metric_unit)
		buf_printf(out, "%.3f%s%s", line->metric, separator, line->metric_unit);
	else
		buf_append_string(out, separator);
	buf_append_char(out, '\n');
}

/* Objects. */

static void json_member(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, "\"%s\" : ", key);
	json_append_string(out, text, strlen(text));
	buf_append_string(out, ", ");
}

static void json_line(const struct stat_printer *printer, const struct stat_line *line,
		      uint64_t since_ns, struct buf *out)
{
	char value[64];

	format_value(line, value);
	if (has_value(line))
		snprintf(value, sizeof(value), "%f", line->value);
	buf_append_char(out, '{');
	if (printer->has_intervals)
		buf_printf(out, "\"interval\" : %llu.%09llu, ",
			   (unsigned long long)(since_ns / second_ns),
			   (unsigned long long)(since_ns % second_ns));
	json_member(out, "counter-value", value);
	json_member(out, "unit", line->unit);
	json_member(out, "event", line->name);
	if (line->owner) {
		json_member(out, "container", line->owner->container);
		json_member(out, "container-id", line->owner->id);
		json_member(out, "pod", line->owner->pod);
		json_member(out, "namespace", line->owner->ns);
	}
	if (printer->repeats)
		buf_printf(out, "\"variance\" : %.2f, ", line->deviation_percent);
	buf_printf(out, "\"event-runtime\" : %llu, \"pcnt-running\" : %.2f, ",
		   (unsigned long long)line->running_ns, percent_running(line));
	buf_printf(out, "\"metric-value\" : %f, ", line->metric_unit ? line->metric : 0);
	buf_printf(out, "\"metric-unit\" : \"%s\"}\n", line->metric_unit ? line->metric_unit : "");
}

struct stat_form_row {
	void (*head)(const struct stat_printer *printer, const char *what, struct buf *out);
	void (*line)(const struct stat_printer *printer, const struct stat_line *line,
		     uint64_t since_ns, struct buf *out);
	void (*foot)(const struct stat_printer *printer, const struct stat_times *times,
		     struct buf *out);
};

static const struct stat_form_row forms[] = {
	[STAT_TEXT] = {text_head, text_line, text_foot},
	[STAT_CSV] = {.line = csv_line},
	[STAT_JSON] = {.line = json_line},
};

void stat_print_head(const struct stat_printer *printer, const char *what, struct buf *out)
{
	if (forms[printer->form].head)
		forms[printer->form].head(printer, what, out);
}

void stat_print_line(const struct stat_printer *printer, const struct stat_line *line,
		     uint64_t since_ns, struct buf *out)
{
	forms[printer->form].line(printer, line, since_ns, out);
}

void stat_print_foot(const struct stat_printer *printer, const struct stat_times *times,
		     struct buf *out)
{
	if (forms[printer->form].foot)
		forms[printer->form].foot(printer, times, out);
}
