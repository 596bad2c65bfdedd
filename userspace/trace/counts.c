/* SPDX-License-Identifier: MIT */
/* Rows by name; the table is that of strace, with another one of quantiles below. */
#include "trace/counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKETCHES_BYTES = 16 << 20, NS_PER_US = 1000 };

static struct trace_count *counts_find(struct trace_counts *counts, const char *name)
{
	struct trace_count *count;

	for (size_t i = 0; i < counts->count; i++) {
		count = &counts->list[i];
		if (count->name == name || strcmp(count->name, name) == 0)
			return count;
	}
	if (counts->count == TRACE_COUNTS_MAX)
		return NULL;
	count = &counts->list[counts->count++];
	*count = (struct trace_count){.name = name};
	return count;
}

void trace_counts_add(struct trace_counts *counts, const char *name, bool failed, uint64_t ns)
{
	struct trace_count *count = counts_find(counts, name);

	if (!count) {
		counts->without_row++;
		return;
	}
	counts->memory.bytes_max = SKETCHES_BYTES;
	count->calls++;
	count->errors += failed;
	if (ns == LATENCY_UNKNOWN)
		return;
	count->ns += ns;
	if (count->sketch.count == 0 || ns < count->ns_min)
		count->ns_min = ns;
	if (ns > count->ns_max)
		count->ns_max = ns;
	counts->unsketched += !views_sketch_add(&count->sketch, &counts->memory, ns);
}

static int counts_compare(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static uint64_t counts_mean(const struct trace_count *count)
{
	return count->calls ? count->ns / count->calls : 0;
}

/* Rows with the same value have the order of strace: by calls, then by name. */
static int counts_by_name(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

static int counts_by_calls(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare((*one)->calls, (*other)->calls);

	return r ? r : counts_by_name(a, b);
}

static int counts_by_errors(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare((*one)->errors, (*other)->errors);

	return r ? r : counts_by_calls(a, b);
}

static int counts_by_time(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare((*one)->ns, (*other)->ns);

	return r ? r : counts_by_calls(a, b);
}

static int counts_by_mean(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare(counts_mean(*one), counts_mean(*other));

	return r ? r : counts_by_calls(a, b);
}

static int counts_by_min(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare((*one)->ns_min, (*other)->ns_min);

	return r ? r : counts_by_calls(a, b);
}

static int counts_by_max(const void *a, const void *b)
{
	const struct trace_count *const *one = a, *const *other = b;
	int r = counts_compare((*one)->ns_max, (*other)->ns_max);

	return r ? r : counts_by_calls(a, b);
}

static const char rule[] = "------ ----------- ----------- --------- --------- ----------------\n";

/* Errors are blank if there are none. */
static void counts_append_row(struct buf *out, double percent, const struct trace_count *count)
{
	char errors[24] = "";

	if (count->errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, count->errors);
	buf_printf(out, "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " %9s %s\n", percent,
		   (double)count->ns / 1e9, counts_mean(count) / NS_PER_US, count->calls, errors,
		   count->name);
}

static double counts_us(const struct views_sketch *sketch, double percent)
{
	return (double)views_sketch_quantile(sketch, percent) / NS_PER_US;
}

static void counts_append_quantiles(struct buf *out, const struct trace_count *const *rows,
				    size_t n)
{
	BUF_LITERAL(out, "\n  usecs p50         p90         p99         max syscall\n"
			 "----------- ----------- ----------- ----------- ----------------\n");
	for (size_t i = 0; i < n; i++) {
		const struct views_sketch *sketch = &rows[i]->sketch;

		if (sketch->count)
			buf_printf(out, "%11.1f %11.1f %11.1f %11.1f %s\n", counts_us(sketch, 50),
				   counts_us(sketch, 90), counts_us(sketch, 99),
				   (double)rows[i]->ns_max / NS_PER_US, rows[i]->name);
	}
}

void trace_counts_append(const struct trace_counts *counts, enum trace_order order, struct buf *out)
{
	static int (*const orders[])(const void *, const void *) = {
		[TRACE_BY_TIME] = counts_by_time,   [TRACE_BY_MEAN] = counts_by_mean,
		[TRACE_BY_MIN] = counts_by_min,	    [TRACE_BY_MAX] = counts_by_max,
		[TRACE_BY_CALLS] = counts_by_calls, [TRACE_BY_ERRORS] = counts_by_errors,
		[TRACE_BY_NAME] = counts_by_name,
	};
	const struct trace_count *rows[TRACE_COUNTS_MAX];
	struct trace_count total = {.name = "total"};

	for (size_t i = 0; i < counts->count; i++) {
		rows[i] = &counts->list[i];
		total.calls += rows[i]->calls;
		total.errors += rows[i]->errors;
		total.ns += rows[i]->ns;
	}
	if (order != TRACE_BY_NOTHING)
		qsort(rows, counts->count, sizeof(rows[0]), orders[order]);
	BUF_LITERAL(out, "% time     seconds  usecs/call     calls    errors syscall\n");
	buf_append_string(out, rule);
	for (size_t i = 0; i < counts->count; i++)
		counts_append_row(out,
				  total.ns ? 100.0 * (double)rows[i]->ns / (double)total.ns : 0,
				  rows[i]);
	buf_append_string(out, rule);
	counts_append_row(out, 100, &total);
	if (counts->without_row)
		buf_printf(out, "%" PRIu64 " calls are in no row: there are too many names\n",
			   counts->without_row);
	counts_append_quantiles(out, rows, counts->count);
	if (counts->unsketched)
		buf_printf(out, "%" PRIu64 " calls are in no quantile: no memory was left\n",
			   counts->unsketched);
}

void trace_counts_finish(struct trace_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		views_sketch_finish(&counts->list[i].sketch, &counts->memory);
	pool_finish(&counts->memory.pool);
}
