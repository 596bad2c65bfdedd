/* SPDX-License-Identifier: MIT */
/*
 * Spans of columns. Those that depend on the event's container alone are the same for all its
 * events until its description changes, and those that depend on its thread until this executes a
 * program or the like: they are written once, and copied.
 */
#include <errno.h>

#include "sinsp/fields/container.h"
#include "sinsp/format/formatter.h"

/* Fewer are written as fast as it is found out that they can be copied. */
enum { THREAD_COLUMNS_MIN = 3 };

/* Also by the fields that it is written with where its own has no value. */
static bool is_of_thread(const struct format_column *column)
{
	while (column && column->ref && column->ref->desc->flags & FIELD_OF_THREAD)
		column = column->otherwise;
	return !column;
}

/* The number of columns from `i` on that are of the thread. */
static size_t count_of_thread(const struct formatter *formatter, size_t i, size_t end)
{
	size_t n = 0;

	while (i + n < end && is_of_thread(&formatter->columns[i + n]))
		n++;
	return n;
}

/* The span that begins at `i`. */
static struct format_span find_span(const struct formatter *formatter, size_t i, size_t end)
{
	const struct format_column *columns = formatter->columns;
	struct format_span span = {.begin = i};
	size_t of_thread = count_of_thread(formatter, i, end);

	if (of_thread >= THREAD_COLUMNS_MIN) {
		span.kind = SPAN_THREAD;
		span.end = i + of_thread;
		return span;
	}
	span.kind = column_is_of_container(&columns[i]) ? SPAN_CONTAINER : SPAN_EVENT;
	do
		i += of_thread ? of_thread : 1;
	while (i < end && column_is_of_container(&columns[i]) == (span.kind == SPAN_CONTAINER) &&
	       (of_thread = count_of_thread(formatter, i, end)) < THREAD_COLUMNS_MIN);
	span.end = i;
	return span;
}

int format_make_spans(struct formatter *formatter)
{
	size_t count = formatter->columns_count, for_all = count - formatter->container_columns;
	struct format_span *span = arena_alloc(&formatter->arena, (count + 1) * sizeof(*span));

	if (!span)
		return -ENOMEM;
	formatter->spans = span;
	formatter->spans_count = formatter->host_spans = 0;
	for (size_t i = 0; i < count; i = span++->end) {
		*span = find_span(formatter, i, i < for_all ? for_all : count);
		formatter->host_spans += span->end <= for_all;
		formatter->spans_count++;
	}
	return 0;
}

bool format_append_kept(struct formatter *formatter, const struct format_span *span,
			const struct sinsp_event *event, struct buf *out)
{
	bool of_thread = span->kind == SPAN_THREAD;
	struct kept *kept = of_thread ? &formatter->of_threads : &formatter->of_containers;
	size_t start = out->len;
	uint64_t revision, key;

	if (formatter->is_seldom_used)
		return formatter->events->append(formatter, span, event, out);
	revision = of_thread ? thread_revision(&formatter->threads, event)
			     : event_container_revision(event);
	if (!revision)
		return formatter->events->append(formatter, span, event, out);
	key = revision * formatter->spans_count + (uint64_t)(span - formatter->spans);
	if (kept_append(kept, key, out))
		return true;
	if (!formatter->events->append(formatter, span, event, out))
		return false;
	if (!out->failed)
		kept_add(kept, key, out->data + start, out->len - start);
	return true;
}
