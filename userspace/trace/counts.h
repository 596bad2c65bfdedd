/* SPDX-License-Identifier: MIT */
/* The table of strace -c: calls, errors and times by call, and quantiles of the times. */
#ifndef TRACE_COUNTS_H
#define TRACE_COUNTS_H

#include <stdbool.h>

#include "event/event.h"
#include "trace/trace.h"
#include "views/sketch.h"

/* A call. */
struct trace_count {
	const char *name;
	uint64_t calls, errors;
	uint64_t ns, ns_min, ns_max; /* from entry to exit, of those that are known */
	struct views_sketch sketch; /* of these */
};

enum { TRACE_COUNTS_MAX = 512 };

/* Zeroed, it is empty. */
struct trace_counts {
	struct trace_count list[TRACE_COUNTS_MAX];
	size_t count;
	uint64_t without_row; /* calls of more names than there are rows */
	uint64_t unsketched; /* calls whose times had no memory: they are in no quantile */
	struct views_memory memory;
};

/* name: lives as long as the counts. ns: LATENCY_UNKNOWN if it is not known. */
void trace_counts_add(struct trace_counts *counts, const char *name, bool failed, uint64_t ns);

void trace_counts_append(const struct trace_counts *counts, enum trace_order order,
			 struct buf *out);
void trace_counts_finish(struct trace_counts *counts);

#endif
