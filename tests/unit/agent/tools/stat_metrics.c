/* SPDX-License-Identifier: MIT */
/* What counts mean beside each other. */
#include <stdio.h>
#include <string.h>

#include "agent/tools/stat_metrics.h"
#include "perf/event.h"
#include "unit.h"

enum { VALUES_MAX = 8 };

/* Of counts of these events, the metric of the i-th: its text, as it is printed. */
static void check(const char *events, const double *counts, size_t i, const char *expected)
{
	struct perf_machine machine = {.tracefs = -1};
	struct stat_value values[VALUES_MAX];
	struct perf_event_list list = {0};
	struct stat_line line = {.name = ""};
	char text[64] = "";

	assert_int_equal(perf_event_parse(events, &machine, NULL, &list, NULL), 0);
	for (size_t n = 0; n < list.count; n++)
		values[n] = (struct stat_value){&list.events[n], counts[n], counts[n] >= 0};
	stat_metrics_set(values, list.count, i, 2e9, &line);
	if (line.metric_unit) {
		size_t len;

		/* The table has the formats. */
		len = (size_t)snprintf(text, sizeof(text), line.metric_format, line.metric);
		snprintf(text + len, sizeof(text) - len, " %s", line.metric_unit);
	}
	assert_string_equal(text, expected);
	perf_event_list_finish(&list);
}

static void knows_shares_and_rates(void **state)
{
	static const char events[] =
		"task-clock,cycles,instructions,branches,branch-misses,faults,cs,dummy";
	static const double counts[] = {1e9, 3e9, 4.5e9, 1000, 25, 1500, 12, 0};

	check(events, counts, 0, "   0.500 CPUs utilized");
	check(events, counts, 1, "   3.000 GHz");
	check(events, counts, 2, "   1.50  insn per cycle");
	check(events, counts, 3, "   1.000 K/sec");
	check(events, counts, 4, "   2.50% of all branches");
	check(events, counts, 5, "   1.500 K/sec");
	check(events, counts, 6, "  12.000 /sec");
	check(events, counts, 7, "   0.000 /sec");
}

static void knows_caches(void **state)
{
	check("L1-dcache-loads,L1-dcache-load-misses", (const double[]){200, 3}, 1,
	      "   1.50% of all L1-dcache accesses");
	check("LLC-load-misses,LLC-loads", (const double[]){1, 4}, 0,
	      "  25.00% of all LL-cache accesses");
	check("cache-references,cache-misses", (const double[]){8, 1}, 1,
	      "  12.50% of all cache refs");
}

/* Counts of the kernel are no share of those of user space; nothing is a share of nothing. */
static void compares_what_is_comparable(void **state)
{
	check("cycles:u,instructions:k", (const double[]){1, 1}, 1, "");
	check("cycles:k,cycles:u,instructions:u", (const double[]){1, 2, 1}, 2,
	      "   0.50  insn per cycle");
	check("branches,branch-misses", (const double[]){0, 1}, 1, "");
	check("branches,branch-misses", (const double[]){-1, 1}, 1, "");
	check("faults", (const double[]){5}, 0, "");
	check("task-clock,faults", (const double[]){-1, 5}, 1, "");
	check("task-clock,faults", (const double[]){5, -1}, 1, "");
}

static void knows_clocks(void **state)
{
	const struct perf_event task = {.attr = {.type = 1, .config = 1}},
				faults = {.attr = {.type = 1, .config = 2}},
				cycles = {.attr = {.type = 0, .config = 0}};

	assert_true(stat_metrics_is_clock(&task));
	assert_false(stat_metrics_is_clock(&faults));
	assert_false(stat_metrics_is_clock(&cycles));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_shares_and_rates),
	cmocka_unit_test(knows_caches),
	cmocka_unit_test(compares_what_is_comparable),
	cmocka_unit_test(knows_clocks),
};

UNIT_GROUP(tests);
