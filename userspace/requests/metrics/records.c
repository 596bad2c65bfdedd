/* SPDX-License-Identifier: MIT */
/*
 * Series as messages Metric of OpenTelemetry (opentelemetry/proto/metrics/v1/metrics.proto):
 * durations as exponential histograms, sizes as histograms with bounds, counters as sums; all
 * cumulative.
 */
#include "requests/metrics/records.h"

#include <string.h>

#include "util/proto.h"

/* Numbers of fields there. */
enum {
	METRIC_NAME = 1,
	METRIC_HELP = 2,
	METRIC_UNIT = 3,
	METRIC_GAUGE_DATA = 5,
	METRIC_SUM = 7,
	METRIC_BOUNDED = 9,
	METRIC_EXPONENTIAL = 10,
	DATA_POINTS = 1,
	DATA_TEMPORALITY = 2,
	SUM_IS_MONOTONIC = 3,
	POINT_START = 2,
	POINT_TIME = 3,
	POINT_COUNT = 4,
	POINT_SUM = 5,
	NUMBER_INT = 6,
	NUMBER_ATTRIBUTES = 7,
	BOUNDED_COUNTS = 6,
	BOUNDED_BOUNDS = 7,
	BOUNDED_ATTRIBUTES = 9,
	EXPONENTIAL_ATTRIBUTES = 1,
	EXPONENTIAL_SCALE = 6,
	EXPONENTIAL_ZEROS = 7,
	EXPONENTIAL_POSITIVE = 8,
	EXPONENTIAL_EXEMPLARS = 11,
	BUCKETS_OFFSET = 1,
	BUCKETS_COUNTS = 2,
	EXEMPLAR_TIME = 2,
	EXEMPLAR_VALUE = 3,
	EXEMPLAR_TRACE = 5,
	PAIR_KEY = 1,
	PAIR_VALUE = 2,
	ANY_STRING = 1,
	ANY_BOOL = 2,
	ANY_INT = 3,
	CUMULATIVE = 2,
};

enum { POINTS_MAX = 64, TRACE_BYTES = 16 };

static void records_put_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

static void records_put_fixed(struct buf *out, uint32_t field, uint64_t value)
{
	proto_tag(out, field, PROTO_FIXED64);
	proto_fixed64(out, value);
}

static void records_put_double(struct buf *out, uint32_t field, double value)
{
	proto_tag(out, field, PROTO_FIXED64);
	proto_double(out, value);
}

/* The value of a label as what the conventions say it is; a number has digits alone. */
static void put_value(struct buf *out, const char *text, bool is_number)
{
	uint64_t number = 0;

	for (const char *digit = text; is_number && *digit; digit++) {
		is_number = *digit >= '0' && *digit <= '9' && digit - text < 18;
		number = number * 10 + (uint64_t)(*digit - '0');
	}
	if (!is_number) {
		records_put_text(out, ANY_STRING, text);
		return;
	}
	proto_tag(out, ANY_INT, PROTO_VARINT);
	proto_varint(out, number);
}

static void put_attribute(struct buf *out, uint32_t field, const char *name, const char *text,
			  bool is_number)
{
	size_t pair, value;

	proto_tag(out, field, PROTO_BYTES);
	pair = proto_begin(out);
	records_put_text(out, PAIR_KEY, name);
	proto_tag(out, PAIR_VALUE, PROTO_BYTES);
	value = proto_begin(out);
	put_value(out, text, is_number);
	proto_end(out, value);
	proto_end(out, pair);
}

static void put_overflow(struct buf *out, uint32_t field)
{
	size_t pair, value;

	proto_tag(out, field, PROTO_BYTES);
	pair = proto_begin(out);
	records_put_text(out, PAIR_KEY, "otel.metric.overflow");
	proto_tag(out, PAIR_VALUE, PROTO_BYTES);
	value = proto_begin(out);
	proto_tag(out, ANY_BOOL, PROTO_VARINT);
	proto_varint(out, 1);
	proto_end(out, value);
	proto_end(out, pair);
}

static void put_attributes(struct buf *out, uint32_t field, const struct kind *kind,
			   const struct series *series)
{
	const char *value = series_key(series);

	if (series->is_overflow) {
		put_overflow(out, field);
		return;
	}
	for (const enum label *label = kind->labels; *label; label++) {
		if (*value)
			put_attribute(out, field, label_attribute(*label), value,
				      label_is_number(*label));
		value += strlen(value) + 1;
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* An id of fewer digits has zeros before them; what is no such id is left out. */
static bool read_trace(const char *text, uint8_t trace[TRACE_BYTES])
{
	size_t len = strlen(text), at = (size_t)TRACE_BYTES * 2 - len;

	if (len == 0 || len > (size_t)TRACE_BYTES * 2)
		return false;
	memset(trace, 0, TRACE_BYTES);
	for (; *text; text++, at++) {
		int digit = hex_value(*text);

		if (digit < 0)
			return false;
		trace[at / 2] |= (uint8_t)(at % 2 ? digit : digit << 4);
	}
	return true;
}

static void put_exemplar(struct buf *out, const struct series_exemplar *exemplar)
{
	uint8_t trace[TRACE_BYTES];
	size_t begin;

	if (!exemplar || !read_trace(exemplar->trace_id, trace))
		return;
	proto_tag(out, EXPONENTIAL_EXEMPLARS, PROTO_BYTES);
	begin = proto_begin(out);
	records_put_fixed(out, EXEMPLAR_TIME, exemplar->at_ns);
	records_put_double(out, EXEMPLAR_VALUE, (double)exemplar->total_ns / 1e9);
	proto_tag(out, EXEMPLAR_TRACE, PROTO_BYTES);
	proto_bytes(out, trace, sizeof(trace));
	proto_end(out, begin);
}

static void put_buckets(struct buf *out, const struct histogram *histogram)
{
	size_t begin, counts;

	if (!histogram->len)
		return;
	proto_tag(out, EXPONENTIAL_POSITIVE, PROTO_BYTES);
	begin = proto_begin(out);
	proto_tag(out, BUCKETS_OFFSET, PROTO_VARINT);
	proto_zigzag(out, histogram->first);
	proto_tag(out, BUCKETS_COUNTS, PROTO_BYTES);
	counts = proto_begin(out);
	for (unsigned int at = 0; at < histogram->len; at++)
		proto_varint(out, histogram_count(histogram, at));
	proto_end(out, counts);
	proto_end(out, begin);
}

static void put_exponential(struct buf *out, const struct series *series)
{
	records_put_fixed(out, POINT_COUNT, series->timed);
	records_put_double(out, POINT_SUM, (double)series->seconds + (double)series->ns / 1e9);
	proto_tag(out, EXPONENTIAL_SCALE, PROTO_VARINT);
	proto_zigzag(out, histogram_scale(&series->durations));
	records_put_fixed(out, EXPONENTIAL_ZEROS, series->durations.zeros);
	put_buckets(out, &series->durations);
	put_exemplar(out, series->exemplar);
}

static void put_bounded(struct buf *out, const struct series_table *table,
			const struct series *series, enum kind_value value)
{
	const struct kind_bounds *bounds = &table->kinds->list[series->kind].bounds[value];
	const uint64_t *cells = series_cells(table, series, value);
	size_t begin;

	records_put_fixed(out, POINT_COUNT, series->count);
	records_put_double(out, POINT_SUM, (double)series->bytes[value - KIND_REQUEST_SIZE]);
	proto_tag(out, BOUNDED_COUNTS, PROTO_BYTES);
	begin = proto_begin(out);
	for (uint32_t i = 0; i <= bounds->count; i++)
		proto_fixed64(out, cells[i]);
	proto_end(out, begin);
	proto_tag(out, BOUNDED_BOUNDS, PROTO_BYTES);
	begin = proto_begin(out);
	for (uint32_t i = 0; i < bounds->count; i++)
		proto_double(out, (double)bounds->items[i].value);
	proto_end(out, begin);
}

/* Of each value that is shown: in which field of Metric, and where its attributes are. */
static uint32_t data_field(enum kind_value value)
{
	if (value == KIND_DURATION)
		return METRIC_EXPONENTIAL;
	if (value == KIND_LAST)
		return METRIC_GAUGE_DATA;
	return value < KIND_HISTOGRAMS ? METRIC_BOUNDED : METRIC_SUM;
}

static uint32_t attributes_field(enum kind_value value)
{
	if (value == KIND_DURATION)
		return EXPONENTIAL_ATTRIBUTES;
	return value < KIND_HISTOGRAMS ? BOUNDED_ATTRIBUTES : NUMBER_ATTRIBUTES;
}

/* A set of numbers at one time. part: of what is no histogram. */
static void put_point(struct buf *out, const struct series_table *table,
		      const struct series *series, enum kind_value value,
		      const struct series_part *part, uint64_t now_ns)
{
	size_t begin;

	proto_tag(out, DATA_POINTS, PROTO_BYTES);
	begin = proto_begin(out);
	put_attributes(out, attributes_field(value), &table->kinds->list[series->kind], series);
	if (part && part->attribute)
		put_attribute(out, NUMBER_ATTRIBUTES, part->attribute, part->word, false);
	records_put_fixed(out, POINT_START, series->begun_ns);
	records_put_fixed(out, POINT_TIME, now_ns);
	if (value == KIND_DURATION)
		put_exponential(out, series);
	else if (value < KIND_HISTOGRAMS)
		put_bounded(out, table, series, value);
	else
		records_put_fixed(out, NUMBER_INT, part->value);
	proto_end(out, begin);
}

static void put_points(struct buf *out, const struct series_table *table,
		       const struct series *series, enum kind_value value, uint64_t now_ns)
{
	struct series_part parts[SERIES_PARTS_MAX];
	unsigned int count;

	if (value < KIND_HISTOGRAMS) {
		put_point(out, table, series, value, NULL, now_ns);
		return;
	}
	count = series_parts(series, value, parts);
	for (unsigned int i = 0; i < count; i++)
		put_point(out, table, series, value, &parts[i], now_ns);
}

/* A message with the next series of a kind, after its length. Returns the first one of the rest. */
static const struct series *put_metric(struct buf *out, const struct series_table *table,
				       const struct kind_metric *metric,
				       const struct series *series, uint64_t now_ns)
{
	size_t begin;

	records_put_text(out, METRIC_NAME, metric->name);
	records_put_text(out, METRIC_HELP, metric->family.help);
	records_put_text(out, METRIC_UNIT, metric->unit);
	proto_tag(out, data_field(metric->value), PROTO_BYTES);
	begin = proto_begin(out);
	for (unsigned int n = 0; series && n < POINTS_MAX; n++, series = series->newer)
		put_points(out, table, series, metric->value, now_ns);
	if (metric->value != KIND_LAST) {
		proto_tag(out, DATA_TEMPORALITY, PROTO_VARINT);
		proto_varint(out, CUMULATIVE);
	}
	if (metric->value >= KIND_HISTOGRAMS && metric->value != KIND_LAST) {
		proto_tag(out, SUM_IS_MONOTONIC, PROTO_VARINT);
		proto_varint(out, 1);
	}
	proto_end(out, begin);
	proto_delimit(out, 0);
	return series;
}

void records_of_series(const struct series_table *table, uint64_t now_ns,
		       void (*take)(void *context, const struct buf *record), void *context)
{
	const struct kinds *kinds = table->kinds;
	struct buf record = {0};

	for (uint8_t i = 0; i < kinds->count; i++)
		for (unsigned int m = 0; m < KIND_METRICS_MAX && kinds->list[i].metrics[m].name;
		     m++) {
			const struct series *series = table->first[i];

			while (series) {
				buf_clear(&record);
				series = put_metric(&record, table, &kinds->list[i].metrics[m],
						    series, now_ns);
				take(context, &record);
			}
		}
	buf_finish(&record);
}
