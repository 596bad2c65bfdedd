/* SPDX-License-Identifier: MIT */
/* The table of metrics: what an event is divided by, and how that is called. */
#include "agent/tools/stat_metrics.h"

#include <string.h>

#include "util/count.h"

enum { CORE_MASK_BITS = 32 };

struct stat_metric {
	uint32_t type;
	uint64_t config;
	uint32_t over_type;
	uint64_t over_config;
	double factor;
	const char *format, *unit;
};

#define HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define LOADS(cache) PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache
#define LOAD_MISSES(cache)                                                                         \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_MISS << 16
#define SHARE 100, "%7.2f%%"

static const struct stat_metric metrics[] = {
	{HARDWARE(INSTRUCTIONS), HARDWARE(CPU_CYCLES), 1, "%7.2f ", "insn per cycle"},
	{HARDWARE(BRANCH_MISSES), HARDWARE(BRANCH_INSTRUCTIONS), SHARE, "of all branches"},
	{HARDWARE(CACHE_MISSES), HARDWARE(CACHE_REFERENCES), SHARE, "of all cache refs"},
	{HARDWARE(STALLED_CYCLES_FRONTEND), HARDWARE(CPU_CYCLES), SHARE, "frontend cycles idle"},
	{HARDWARE(STALLED_CYCLES_BACKEND), HARDWARE(CPU_CYCLES), SHARE, "backend cycles idle"},
	{LOAD_MISSES(L1D), LOADS(L1D), SHARE, "of all L1-dcache accesses"},
	{LOAD_MISSES(L1I), LOADS(L1I), SHARE, "of all L1-icache accesses"},
	{LOAD_MISSES(LL), LOADS(LL), SHARE, "of all LL-cache accesses"},
	{LOAD_MISSES(DTLB), LOADS(DTLB), SHARE, "of all dTLB cache accesses"},
	{LOAD_MISSES(ITLB), LOADS(ITLB), SHARE, "of all iTLB cache accesses"},
};

bool stat_metrics_is_clock(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Generic events of one kind of cores have the PMU above their number. */
static bool is_event(const struct perf_event *event, uint32_t type, uint64_t config)
{
	return event->attr.type == type &&
	       (event->attr.config & ((1ull << CORE_MASK_BITS) - 1)) == config;
}

/* Both were counted in the same levels, of the same cores. */
static bool is_comparable(const struct perf_event *a, const struct perf_event *b)
{
	return a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel &&
	       a->attr.config >> CORE_MASK_BITS == b->attr.config >> CORE_MASK_BITS;
}

static const struct stat_value *metrics_find_value(const struct stat_value *values, size_t count,
						   const struct stat_metric *metric,
						   const struct perf_event *event)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].counted && values[i].value > 0 &&
		    is_event(values[i].event, metric->over_type, metric->over_config) &&
		    is_comparable(values[i].event, event))
			return &values[i];
	return NULL;
}

/* Nanoseconds in which tasks ran. */
static double clock_ns(const struct stat_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].counted && stat_metrics_is_clock(values[i].event))
			return values[i].value;
	return 0;
}

/* "12.3 K/sec" of the time in which tasks ran. */
static void set_rate(double value, double ns, struct stat_line *line)
{
	static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
	double rate = value * 1e9 / ns;
	size_t i = 0;

	for (; rate >= 1000 && i + 1 < COUNT(units); i++)
		rate /= 1000;
	line->metric = rate;
	line->metric_format = "%8.3f";
	line->metric_unit = units[i];
}

static bool set_metric(const struct stat_value *values, size_t count, size_t i,
		       struct stat_line *line)
{
	const struct perf_event *event = values[i].event;

	for (size_t n = 0; n < COUNT(metrics); n++) {
		const struct stat_metric *metric = &metrics[n];
		const struct stat_value *over;

		if (!is_event(event, metric->type, metric->config))
			continue;
		over = metrics_find_value(values, count, metric, event);
		if (!over)
			return false;
		line->metric = metric->factor * values[i].value / over->value;
		line->metric_format = metric->format;
		line->metric_unit = metric->unit;
		return true;
	}
	return false;
}

void stat_metrics_set(const struct stat_value *values, size_t count, size_t i, double elapsed_ns,
		      struct stat_line *line)
{
	const struct perf_event *event = values[i].event;
	double ns = clock_ns(values, count);

	if (!values[i].counted)
		return;
	if (stat_metrics_is_clock(event)) {
		line->metric = elapsed_ns > 0 ? values[i].value / elapsed_ns : 0;
		line->metric_format = "%8.3f";
		line->metric_unit = "CPUs utilized";
	} else if (set_metric(values, count, i, line) || ns <= 0 || event->is_gauge) {
		return;
	} else if (is_event(event, HARDWARE(CPU_CYCLES))) {
		line->metric = values[i].value / ns;
		line->metric_format = "%8.3f";
		line->metric_unit = "GHz";
	} else {
		set_rate(values[i].value, ns, line);
	}
}
