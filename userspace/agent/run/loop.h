/* SPDX-License-Identifier: MIT */
/*
 * The loop of a run: until a limit, a signal or the end of the input, then what was captured
 * before.
 */
#ifndef AGENT_RUN_LOOP_H
#define AGENT_RUN_LOOP_H

#include "agent/run/run.h"
#include "util/error.h"

/* For a run that is open. Returns 0 or -errno with a message; its counters are right in both cases.
 */
int loop_run(struct run *run, struct error *err);

#endif
