/* SPDX-License-Identifier: MIT */
/* The counters of an input as metrics, which are a part of those of a run. */
#ifndef AGENT_INPUT_METRICS_H
#define AGENT_INPUT_METRICS_H

#include "agent/plan/selection.h"
#include "net/exposition.h"

struct scap_live;
struct scap_live_stats;
struct scap_reader_stats;

/* Appends the counters of a capture file that is read. */
void metrics_file_append(const struct scap_reader_stats *stats, struct exposition *exposition);

/*
 * Appends the counters of a live capture. Events by type: of those that the selection captures,
 * from 0 on; losses by cause; and what went wrong. The stats are those of the whole run.
 */
void metrics_live_append(const struct scap_live_stats *stats, const struct selection *selection,
			 struct exposition *exposition);

/* The ring buffers of each CPU. */
void metrics_live_append_cpus(const struct scap_live *live, struct exposition *exposition);

/* Runs of each attached program; the kernel counts them only with kernel.bpf_stats_enabled. */
void metrics_live_append_programs(const struct scap_live *live, struct exposition *exposition);

#endif
