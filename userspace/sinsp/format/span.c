/* SPDX-License-Identifier: MIT */
/*
 * Spans of columns. Those that depend on the event's container alone are the same for all its
 * events until its description changes: they are written once, and copied.
 */
#include <errno.h>

#include "sinsp/fields/container.h"
#include "sinsp/format/formatter.h"

static bool is_of_container(const struct format_column *column)
{
	return column->ref && column->ref->desc->flags & FIELD_OF_CONTAINER;
}

int format_make_spans(struct formatter *formatter)
{
	size_t count = formatter->columns_count, for_all = count - formatter->container_columns;
	struct format_span *span = arena_alloc(&formatter->arena, (count + 1) * sizeof(*span));

	if (!span)
		return -ENOMEM;
	formatter->spans = span;
	for (size_t i = 0; i < count; span++) {
		size_t end = i < for_all ? for_all : count;

		span->begin = i;
		span->of_container = is_of_container(&formatter->columns[i]);
		while (i < end && is_of_container(&formatter->columns[i]) == span->of_container)
			i++;
		span->end = i;
		formatter->host_spans += i <= for_all;
		formatter->spans_count++;
	}
	return 0;
}

bool format_append_kept(struct formatter *formatter, const struct format_span *span,
			const struct sinsp_event *event, struct buf *out)
{
	uint64_t revision = event_container_revision(event);
	uint64_t key = revision * formatter->spans_count + (uint64_t)(span - formatter->spans);
	size_t start = out->len;

	if (!revision || formatter->is_seldom_used)
		return formatter->events->append(formatter, span, event, out);
	if (kept_append(&formatter->kept, key, out))
		return true;
	if (!formatter->events->append(formatter, span, event, out))
		return false;
	if (!out->failed)
		kept_add(&formatter->kept, key, out->data + start, out->len - start);
	return true;
}
