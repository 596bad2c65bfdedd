/* SPDX-License-Identifier: MIT */
/*
 * The capture files of a run: that of -w, and those of outputs. They know together of which
 * containers they have yet to be told.
 */
#ifndef AGENT_RUN_RECORD_H
#define AGENT_RUN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/run/run.h"
#include "scap/model/source.h"
#include "util/error.h"

/* Begins the recordings that the options request. Returns 0 or -errno with a message. */
int record_open(struct run *run, struct error *err);

/* Begins other files if it is time, before an event is applied to the state. */
void record_turn(struct run *run, const struct scap_event *raw);

/* Writes an event that was applied. passed: the user asked for it. */
void record_event(struct run *run, const struct scap_event *raw, const struct sinsp_event *event,
		  bool passed);

/* To be called every few events, and while there are none. Messages go to stderr. */
void record_step(struct run *run, uint64_t now_ns, bool idle);

/* Ends all files. */
void record_close(struct run *run);

/*
 * Handles the result of a function of the recording of -w: a failure is printed at once and ends
 * it; the run continues if events have other places to go.
 */
void record_take_result(struct run *run, int result);

#endif
