/* SPDX-License-Identifier: MIT */
/*
 * The kernel as the input of a run, with the initial state from /proc. For a plan with other events
 * a second capture starts in parallel; the first ends when all its events were taken.
 */
#ifndef AGENT_RUN_INPUT_LIVE_H
#define AGENT_RUN_INPUT_LIVE_H

#include "agent/run/input.h"

int input_live_open(const struct plan *plan, const struct input_helpers *helpers,
		    struct input **input, struct error *err);

#endif
