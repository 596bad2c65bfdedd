/* SPDX-License-Identifier: MIT */
/*
 * The loop of a run: handles events until a limit, a signal or the end of the input, then those
 * captured before.
 */
#ifndef AGENT_RUN_LOOP_H
#define AGENT_RUN_LOOP_H

#include "agent/run/run.h"
#include "util/error.h"

/*
 * The run must be open. Returns 0 or -errno with a message; its counters are valid in both cases.
 */
int loop_run(struct run *run, struct error *err);

#endif
