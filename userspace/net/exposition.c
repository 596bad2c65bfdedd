/* SPDX-License-Identifier: MIT */
/* The differences between the two formats are in types[], and in what ends the text. */
#include "net/exposition.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *plain_name; /* of the type; version 0.0.4 knows fewer */
	const char *suffix;
} types[] = {
	[METRIC_COUNTER] = {"counter", "counter", "_total"},
	[METRIC_GAUGE] = {"gauge", "gauge", ""},
	[METRIC_INFO] = {"info", "gauge", "_info"},
	[METRIC_HISTOGRAM] = {"histogram", "histogram", ""},
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

/* "a="b",c="d"" */
static void append_pairs(struct buf *out, const struct exposition_label *labels)
{
	bool is_first = true;

	for (; labels && labels->name; labels++, is_first = false) {
		buf_append_string(out, is_first ? "" : ",");
		buf_append_string(out, labels->name);
		BUF_LITERAL(out, "=\"");
		exposition_append_escaped(out, labels->value, true);
		buf_append_char(out, '"');
	}
}

static void append_labels(struct exposition *exposition, const struct exposition_label *labels)
{
	struct buf *out = exposition->out;
	bool has_any = labels && labels->name;

	exposition_append_name(exposition, true);
	buf_append_string(out, has_any ? "{" : "");
	append_pairs(out, labels);
	buf_append_string(out, has_any ? "} " : " ");
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

/* A bound as the format wants numbers: OpenMetrics has a point in all of them. */
static void append_bound(struct exposition *exposition, const char *text)
{
	buf_append_string(exposition->out, text);
	if (exposition->openmetrics && !strchr(text, '.') && text[0] != '+')
		BUF_LITERAL(exposition->out, ".0");
}

static void append_exemplar(struct exposition *exposition,
			    const struct exposition_exemplar *exemplar)
{
	enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000 };

	BUF_LITERAL(exposition->out, " # {trace_id=\"");
	exposition_append_escaped(exposition->out, exemplar->trace_id, true);
	buf_printf(exposition->out, "\"} %.9g %" PRIu64 ".%03" PRIu64, exemplar->value,
		   exemplar->at_ns / NS_PER_S, exemplar->at_ns % NS_PER_S / NS_PER_MS);
}

/* "NAME_bucket{LABELS,le="BOUND"} COUNT" */
static void append_bucket(struct exposition *exposition, const struct buf *pairs, const char *bound,
			  uint64_t count)
{
	struct buf *out = exposition->out;

	exposition_append_name(exposition, false);
	BUF_LITERAL(out, "_bucket{");
	buf_append(out, pairs->data, pairs->len);
	buf_append_string(out, pairs->len ? ",le=\"" : "le=\"");
	append_bound(exposition, bound);
	BUF_LITERAL(out, "\"} ");
	buf_append_u64(out, count);
}

/* "NAME_sum{LABELS} " */
static void append_whole(struct exposition *exposition, const struct buf *pairs, const char *suffix)
{
	struct buf *out = exposition->out;

	exposition_append_name(exposition, false);
	buf_append_string(out, suffix);
	buf_append_string(out, pairs->len ? "{" : "");
	buf_append(out, pairs->data, pairs->len);
	buf_append_string(out, pairs->len ? "} " : " ");
}

void exposition_histogram(struct exposition *exposition, const struct exposition_label *labels,
			  const struct exposition_histogram *histogram)
{
	struct buf pairs = {0};
	uint64_t count = 0;

	append_pairs(&pairs, labels);
	for (uint32_t i = 0; i <= histogram->bounds; i++) {
		count += histogram->counts[i];
		append_bucket(exposition, &pairs,
			      i < histogram->bounds ? histogram->bound(histogram->context, i)
						    : "+Inf",
			      count);
		if (exposition->openmetrics && histogram->exemplar &&
		    i == histogram->exemplar_bucket)
			append_exemplar(exposition, histogram->exemplar);
		buf_append_char(exposition->out, '\n');
	}
	append_whole(exposition, &pairs, "_sum");
	buf_printf(exposition->out, "%.15g\n", histogram->sum);
	append_whole(exposition, &pairs, "_count");
	buf_append_u64(exposition->out, count);
	buf_append_char(exposition->out, '\n');
	if (pairs.failed)
		buf_fail(exposition->out);
	buf_finish(&pairs);
}

void exposition_add(struct exposition *exposition, const struct exposition_family *family,
		    uint64_t value)
{
	exposition_begin(exposition, family);
	exposition_sample(exposition, NULL, value);
}

void exposition_add_members(struct exposition *exposition, const struct exposition_member *members,
			    size_t count, const void *values)
{
	for (size_t i = 0; i < count; i++)
		exposition_add(exposition, &members[i].family,
			       *(const uint64_t *)((const char *)values + members[i].offset));
}

void exposition_end(struct exposition *exposition)
{
	if (exposition->openmetrics)
		BUF_LITERAL(exposition->out, "# EOF\n");
}
