/* SPDX-License-Identifier: MIT */
/* The counters of a run, its state and its input as metrics: those of deploy/manual/metrics.md. */
#ifndef AGENT_RUN_METRICS_H
#define AGENT_RUN_METRICS_H

#include "net/exposition.h"
#include <stdbool.h>

#include "agent/plan/selection.h"

struct run;
struct scap_live;
struct scap_live_stats;
struct scap_reader_stats;

/* Appends what a run counts, in the format of OpenMetrics or that before it. */
void metrics_append(const struct run *run, bool openmetrics, struct buf *out);

/* Appends the counters of a capture file that is read. */
void metrics_file_append(const struct scap_reader_stats *stats, struct exposition *exposition);

/*
 * Appends the counters of a live capture. Events by type: of those that the selection captures,
 * from 0 on; losses by cause; and what went wrong. The stats are those of the whole run.
 */
void metrics_live_append(const struct scap_live_stats *stats, const struct selection *selection,
			 struct exposition *exposition);

/* Runs of each attached program; the kernel counts them only with kernel.bpf_stats_enabled. */
void metrics_live_append_programs(const struct scap_live *live, struct exposition *exposition);

#endif
