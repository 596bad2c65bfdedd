/* SPDX-License-Identifier: MIT */
/* The perf events of --sample, --tracepoint and --probe: from their texts to samples among the
 * events of a live capture. */
#ifndef AGENT_INPUT_SAMPLING_H
#define AGENT_INPUT_SAMPLING_H

#include "agent/plan/plan.h"
#include "agent/input/host.h"
#include "net/exposition.h"
#include "perf/event.h"
#include "scap/live/live.h"
#include "scap/samples/samples.h"
#include "util/buf.h"
#include "util/error.h"

/* Zeroed: nothing is sampled. */
struct sampling {
	struct perf_event_list events;
	uint8_t *kinds; /* owned; enum sample_kind, by event */
	struct samples *samples; /* owned; NULL: none */
};

/*
 * Opens what the options of a plan ask for, if anything. self_pids: processes that are not sampled.
 * Returns 0, or -errno with a message; finish it in every case.
 */
int sampling_open(struct sampling *sampling, const struct plan *plan, const struct host *host,
		  const uint32_t self_pids[SELF_PIDS], struct error *err);
void sampling_finish(struct sampling *sampling);

/* No further samples are made. */
void sampling_stop(struct sampling *sampling);

/* Adds what happened to samples to the account of all events. */
void sampling_add_stats(const struct sampling *sampling, struct scap_live_stats *stats);

/* Appends what else is to be said of them, as whole lines. */
void sampling_append_report(const struct sampling *sampling, struct buf *text);

/* Appends the same as metrics; none if nothing is sampled. */
void sampling_append_metrics(const struct sampling *sampling, struct exposition *exposition);

/* Appends which events are sampled, and how often, for --explain; nothing if none is. */
void sampling_append_plan(const struct sampling *sampling, struct buf *text);

#endif
