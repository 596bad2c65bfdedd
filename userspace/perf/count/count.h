/* SPDX-License-Identifier: MIT */
/* Events that are open, and their counts. */
#ifndef PERF_COUNT_COUNT_H
#define PERF_COUNT_COUNT_H

#include "perf/count/target.h"
#include "perf/event.h"

/* As the kernel gives it, of one descriptor. */
struct perf_reading {
	uint64_t value, enabled_ns, running_ns;
};

/* Of one event, over all its descriptors: what was not seen while others had the PMU is estimated.
 */
struct perf_count {
	double value; /* as the kernel counts: without the scale of the event */
	uint64_t enabled_ns, running_ns;
};

struct perf_counter {
	const struct perf_event *event;
	const char *name; /* of the event, with what the kernel did not permit left out */
	struct perf_event_attr attr; /* as it was opened */
	size_t leader; /* index of a counter */
	bool left_group; /* it leads itself, as the leader of its group counts on other CPUs */
	int *fds; /* owned; -1: the task has ended before it was opened */
	struct perf_reading *before; /* owned: of each descriptor, when it was last read */
	size_t fds_count;
	int error; /* 0, or -errno: it is not supported, and has no descriptors */
};

struct perf_counters {
	struct perf_counter *counters; /* owned; one for each event of the list, in its order */
	size_t count;
	struct arena arena;
};

/*
 * Opens all events of a list, which must outlive the counters, for a target; they do not count yet.
 * Events that the machine lacks get an error; without the right to count the kernel, user space
 * alone is counted. Returns 0, or -errno with a message.
 */
int perf_counters_open(struct perf_counters *counters, const struct perf_event_list *list,
		       const struct perf_target *target, const struct perf_machine *machine,
		       struct error *err);
void perf_counters_close(struct perf_counters *counters);

/* Let all count from now on, or no longer; those of targets that begin on exec do so by themselves.
 */
void perf_counters_enable(const struct perf_counters *counters);
void perf_counters_disable(const struct perf_counters *counters);

/* What a counter has counted since it was last read. Of a gauge, what it shows. */
void perf_counter_read(struct perf_counter *counter, struct perf_count *count);

#endif
