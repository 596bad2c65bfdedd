/* SPDX-License-Identifier: MIT */
/*
 * The way of an event through the agent: source, state, filter, formatter, output. Runs until a
 * limit, a signal or the end of the source, then drains what was captured before.
 */
#ifndef AGENT_PIPELINE_H
#define AGENT_PIPELINE_H

#include <stdint.h>

#include "util/error.h"

struct capture;

struct pipeline_counts {
	uint64_t matched; /* events that passed the filter, up to the end of the run */
	uint64_t printed; /* of these, written to standard output */
};

/* Returns 0 or -errno with a message; `counts` is true in both cases. */
int pipeline_run(struct capture *capture, struct pipeline_counts *counts, struct error *err);

#endif
