/* SPDX-License-Identifier: MIT */
/* What counts mean beside each other: instructions per cycle, shares of misses, rates. */
#ifndef AGENT_COMMANDS_STAT_METRICS_H
#define AGENT_COMMANDS_STAT_METRICS_H

#include "agent/tools/stat_print.h"
#include "perf/event.h"

/* Of one event: what was counted, as the kernel counts it. */
struct stat_value {
	const struct perf_event *event;
	double value;
	bool counted;
};

/* Sets the metric of the i-th line, if its event has one beside those of the others. */
void stat_metrics_set(const struct stat_value *values, size_t count, size_t i, double elapsed_ns,
		      struct stat_line *line);

/* Whether it counts nanoseconds, which are shown as milliseconds. */
bool stat_metrics_is_clock(const struct perf_event *event);

#endif
