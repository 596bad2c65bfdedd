/* SPDX-License-Identifier: MIT */
/* The series of one run, and how they are shown. */
#include "requests/metrics/request_metrics.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "requests/metrics/records.h"
#include "requests/metrics/series.h"
#include "util/count.h"

#define NS_PER_S 1e9

struct request_metrics {
	struct series_table table;
	unsigned int parts; /* METRICS_OF_... */
	uint64_t undirected; /* requests of which it is not known whose they are */
};

int request_metrics_create(enum kinds_schema schema, unsigned int parts, uint32_t series,
			   struct request_metrics **metrics)
{
	struct request_metrics *made = calloc(1, sizeof(*made));
	int r = made ? series_table_init(&made->table, &kinds_of[schema], series) : -ENOMEM;

	if (r) {
		request_metrics_destroy(made);
		return r;
	}
	made->parts = parts;
	*metrics = made;
	return 0;
}

void request_metrics_destroy(struct request_metrics *metrics)
{
	if (metrics)
		series_table_finish(&metrics->table);
	free(metrics);
}

void request_metrics_take(struct request_metrics *metrics, const struct state_event *event)
{
	struct view view;

	if (event->ev.desc->id != EVENT_request) {
		if ((metrics->parts & METRICS_OF_TCP) && (event->ev.desc->flags & EF_OF_SOCKET) &&
		    view_make_of_socket(event, &view))
			series_table_add(&metrics->table, &view);
	} else if (metrics->parts & METRICS_OF_REQUESTS) {
		if (view_make(event, &view))
			series_table_add(&metrics->table, &view);
		else
			metrics->undirected++;
	}
}

void request_metrics_step(struct request_metrics *metrics, uint64_t now_ns)
{
	if (now_ns > REQUEST_METRICS_AGE_NS)
		series_table_age(&metrics->table, now_ns - REQUEST_METRICS_AGE_NS);
}

size_t request_metrics_bytes(const struct request_metrics *metrics)
{
	return sizeof(*metrics) + sizeof(struct memo) + metrics->table.pool.held +
	       metrics->table.buckets_count * sizeof(struct series *);
}

/* What is shown. */

/* With one that the schema adds, and the end. */
enum { LABELS_SHOWN_MAX = LABELS_OF_SERIES_MAX + 2 };

/* The labels of a series that have a value; the last one has no name. */
static void labels_of(const struct kind *kind, const struct series *series,
		      struct exposition_label labels[LABELS_SHOWN_MAX])
{
	const char *value = series_key(series);
	size_t n = 0;

	if (series->is_overflow)
		labels[n++] = (struct exposition_label){"otel_metric_overflow", "true"};
	for (const enum label *label = kind->labels; !series->is_overflow && *label; label++) {
		if (*value)
			labels[n++] = (struct exposition_label){label_name(*label), value};
		value += strlen(value) + 1;
	}
	labels[n] = (struct exposition_label){0};
}

static const char *bound_text(const void *context, uint32_t i)
{
	const struct kind_bounds *bounds = context;

	return bounds->items[i].text;
}

static void append_histogram(const struct request_metrics *metrics, const struct series *series,
			     enum kind_value value, const struct exposition_label *labels,
			     struct exposition *exposition)
{
	const struct kind_bounds *bounds = &metrics->table.kinds->list[series->kind].bounds[value];
	struct exposition_exemplar exemplar;
	struct exposition_histogram histogram = {
		.counts = series_cells(&metrics->table, series, value),
		.bound = bound_text,
		.context = bounds,
		.bounds = bounds->count,
	};

	if (value == KIND_DURATION)
		histogram.sum = (double)series->seconds + (double)series->ns / NS_PER_S;
	else
		histogram.sum = (double)series->bytes[value - KIND_REQUEST_SIZE];
	if (value == KIND_DURATION && series->exemplar) {
		exemplar = (struct exposition_exemplar){
			series->exemplar->trace_id, (double)series->exemplar->total_ns / NS_PER_S,
			series->exemplar->at_ns};
		histogram.exemplar = &exemplar;
		histogram.exemplar_bucket = series_cell(bounds, series->exemplar->total_ns);
	}
	exposition_histogram(exposition, labels, &histogram);
}

static void append_number(const struct series *series, enum kind_value value,
			  struct exposition_label *labels, struct exposition *exposition)
{
	struct series_part parts[SERIES_PARTS_MAX];
	unsigned int count = series_parts(series, value, parts);
	struct exposition_label *last = labels;

	while (last->name)
		last++;
	for (unsigned int i = 0; i < count; i++) {
		last[0] = (struct exposition_label){parts[i].label, parts[i].word};
		last[1] = (struct exposition_label){0};
		exposition_sample(exposition, labels, parts[i].value);
	}
}

static void append_metric(const struct request_metrics *metrics, uint8_t place,
			  const struct kind_metric *metric, struct exposition *exposition)
{
	const struct kind *kind = &metrics->table.kinds->list[place];
	struct exposition_label labels[LABELS_SHOWN_MAX];

	exposition_begin(exposition, &metric->family);
	for (const struct series *series = metrics->table.first[place]; series;
	     series = series->newer) {
		labels_of(kind, series, labels);
		if (metric->value < KIND_HISTOGRAMS)
			append_histogram(metrics, series, metric->value, labels, exposition);
		else
			append_number(series, metric->value, labels, exposition);
	}
}

static void append_table(const struct request_metrics *metrics, struct exposition *exposition)
{
	static const struct exposition_family series = {
		"lanner_metrics_series", METRIC_GAUGE, NULL,
		"Sets of labels that are counted by themselves."};
	static const struct exposition_family max = {"lanner_metrics_series_max", METRIC_GAUGE,
						     NULL, "How many there may be."};
	static const struct exposition_family aged = {
		"lanner_metrics_series_dropped", METRIC_COUNTER, NULL,
		"Sets of labels that were dropped, as nothing had them for a while."};
	static const struct exposition_family overflowed = {
		"lanner_metrics_overflowed", METRIC_COUNTER, NULL,
		"Requests, and events of TCP, counted in the series of the overflow."};
	static const struct exposition_family unmeasured = {
		"lanner_metrics_unmeasured", METRIC_COUNTER, NULL,
		"Those in no series: out of memory, or neither of a client nor of a server."};
	const struct series_table *table = &metrics->table;

	exposition_add(exposition, &series, table->count);
	exposition_add(exposition, &max, table->max);
	exposition_add(exposition, &aged, table->aged);
	exposition_add(exposition, &overflowed, table->overflowed);
	exposition_add(exposition, &unmeasured, table->unmeasured + metrics->undirected);
}

void request_metrics_append(const struct request_metrics *metrics, struct exposition *exposition)
{
	const struct kinds *kinds = metrics->table.kinds;

	for (uint8_t i = 0; i < kinds->count; i++) {
		const struct kind *kind = &kinds->list[i];

		if (!(metrics->parts &
		      (kind->is_of_sockets ? METRICS_OF_TCP : METRICS_OF_REQUESTS)))
			continue;
		for (unsigned int m = 0; m < KIND_METRICS_MAX && kind->metrics[m].name; m++)
			append_metric(metrics, i, &kind->metrics[m], exposition);
	}
	append_table(metrics, exposition);
}

void request_metrics_records(const struct request_metrics *metrics, uint64_t now_ns,
			     void (*take)(void *context, const struct buf *record), void *context)
{
	records_of_series(&metrics->table, now_ns, take, context);
}
