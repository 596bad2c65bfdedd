/* SPDX-License-Identifier: MIT */
/*
 * The way of an event through the agent: source, state, filter, formatter, output, and capture file.
 * Runs until a limit, a signal or the end of the source, then drains what was captured before.
 */
#ifndef AGENT_RUN_PIPELINE_H
#define AGENT_RUN_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct capture;

struct pipeline_counts {
	uint64_t matched; /* events that passed the filter, up to the end of the run */
	uint64_t printed; /* of these, written to standard output */
	bool broken_off;  /* the file that was read ends too early: scap_reader_problem() */
	bool record_failed; /* this was said; the rest went on */
};

/* Returns 0 or -errno with a message; `counts` is true in both cases. */
int pipeline_run(struct capture *capture, struct pipeline_counts *counts, struct error *err);

#endif
