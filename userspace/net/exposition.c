/* SPDX-License-Identifier: MIT */
/* The differences between the two formats are in types[], and in what ends the text. */
#include "net/exposition.h"

#include <stddef.h>

static const struct {
	const char *name, *plain_name; /* of the type; version 0.0.4 knows fewer */
	const char *suffix;
} types[] = {
	[METRIC_COUNTER] = {"counter", "counter", "_total"},
	[METRIC_GAUGE] = {"gauge", "gauge", ""},
	[METRIC_INFO] = {"info", "gauge", "_info"},
};

static void exposition_append_escaped(struct buf *out, const char *text, bool quotes)
{
	for (; *text; text++) {
		if (*text == '\n')
			BUF_LITERAL(out, "\\n");
		else if (*text == '\\' || (quotes && *text == '"'))
			buf_printf(out, "\\%c", *text);
		else
			buf_append_char(out, *text);
	}
}

static void exposition_append_name(struct exposition *exposition, bool whole)
{
	buf_append_string(exposition->out, exposition->family->name);
	if (whole)
		buf_append_string(exposition->out, types[exposition->family->type].suffix);
}

/* "# HELP NAME TEXT". OpenMetrics names the family, the other format its samples. */
static void append_comment(struct exposition *exposition, const char *what, const char *text)
{
	struct buf *out = exposition->out;

	buf_printf(out, "# %s ", what);
	exposition_append_name(exposition, !exposition->openmetrics);
	buf_append_char(out, ' ');
	exposition_append_escaped(out, text, exposition->openmetrics);
	buf_append_char(out, '\n');
}

void exposition_begin(struct exposition *exposition, const struct exposition_family *family)
{
	bool openmetrics = exposition->openmetrics;

	exposition->family = family;
	append_comment(exposition, "HELP", family->help);
	append_comment(exposition, "TYPE",
		       openmetrics ? types[family->type].name : types[family->type].plain_name);
	if (openmetrics && family->unit)
		append_comment(exposition, "UNIT", family->unit);
}

static void append_labels(struct exposition *exposition, const struct exposition_label *labels)
{
	struct buf *out = exposition->out;
	char before = '{';

	exposition_append_name(exposition, true);
	for (; labels && labels->name; labels++) {
		buf_append_char(out, before);
		buf_printf(out, "%s=\"", labels->name);
		exposition_append_escaped(out, labels->value, true);
		buf_append_char(out, '"');
		before = ',';
	}
	if (before == ',')
		buf_append_char(out, '}');
	buf_append_char(out, ' ');
}

void exposition_sample(struct exposition *exposition, const struct exposition_label *labels,
		       uint64_t value)
{
	append_labels(exposition, labels);
	buf_append_u64(exposition->out, value);
	buf_append_char(exposition->out, '\n');
}

void exposition_sample_real(struct exposition *exposition, const struct exposition_label *labels,
			    double value)
{
	append_labels(exposition, labels);
	buf_printf(exposition->out, "%.15g\n", value);
}

void exposition_add(struct exposition *exposition, const struct exposition_family *family,
		    uint64_t value)
{
	exposition_begin(exposition, family);
	exposition_sample(exposition, NULL, value);
}

void exposition_end(struct exposition *exposition)
{
	if (exposition->openmetrics)
		BUF_LITERAL(exposition->out, "# EOF\n");
}
