/* SPDX-License-Identifier: MIT */
/* Processing of an event: state, filter or rules, output, and capture file. */
#ifndef AGENT_RUN_HANDLE_H
#define AGENT_RUN_HANDLE_H

#include "agent/run/run.h"
#include "scap/model/source.h"
#include "util/error.h"

/* Handles an event of the input. Returns 0, or -errno with a message: the output failed. */
int handle_event(struct run *run, const struct scap_event *raw, struct error *err);

/*
 * Handles the result of a recording function: a failure is printed at once and ends the recording;
 * the run continues if events are also printed.
 */
void handle_recording_result(struct run *run, int result);

#endif
