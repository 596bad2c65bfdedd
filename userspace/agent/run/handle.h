/* SPDX-License-Identifier: MIT */
/* Processing of an event: state, filter or rules, output, and capture file. */
#ifndef AGENT_RUN_HANDLE_H
#define AGENT_RUN_HANDLE_H

#include "agent/run/run.h"
#include "scap/model/source.h"
#include "util/error.h"

/* Handles an event of the input. Returns 0, or -errno with a message: the output failed. */
int handle_event(struct run *run, const struct scap_event *raw, struct error *err);

#endif
