/* SPDX-License-Identifier: MIT */
/*
 * The kernel as the input of a run, with /proc for what was there before. For a plan that wants
 * other events another capture starts beside the one that runs; the first ends when all that it saw
 * has been taken.
 */
#ifndef AGENT_RUN_INPUT_LIVE_H
#define AGENT_RUN_INPUT_LIVE_H

#include "agent/run/input.h"

int input_live_open(const struct plan *plan, struct input **input, struct error *err);

#endif
