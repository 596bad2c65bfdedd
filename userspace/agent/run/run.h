/* SPDX-License-Identifier: MIT */
/*
 * One run of the agent: what is wanted (the plan), where events come from (the input), the state
 * that they change, and where they go (standard output, a capture file).
 */
#ifndef AGENT_RUN_RUN_H
#define AGENT_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/run/input.h"
#include "agent/run/output.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "util/error.h"

struct run {
	const struct options *options; /* borrowed */
	struct printer printer;
	struct plan *plan; /* replaced as a whole by new rules */
	struct input *input;
	struct sinsp_follow follow; /* whose events are asked for */
	struct child *child; /* borrowed: the run ends when it exits; NULL: there is none */
	struct sinsp *sinsp;
	struct summary *summary; /* NULL: none was asked for */
	struct record *record; /* NULL: nothing was recorded */
	bool recording; /* false also after an error of the recording, which was printed */
	bool record_failed;
	bool ended; /* no more events are wanted: -n is reached, or nobody reads */
	struct output output;
	uint64_t matched; /* events that passed the filter */
	uint64_t formatted; /* of these, handed to the output */
};

/*
 * Makes the plan, which needs no privilege; messages as for plan_create(). Returns 0 or -errno with
 * a message; release with run_finish() in every case.
 */
int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err);

/*
 * Opens the input, then fills the state, so that nothing falls between. child: a command that
 * waits, whose events are asked for from its start on; NULL: none. As above.
 */
int run_open(struct run *run, struct child *child, struct error *err);

/* Begins the recording that the options ask for, if any, with the state. As above. */
int run_record(struct run *run, struct error *err);

void run_finish(struct run *run);

/* Events of which all was written. */
static inline uint64_t run_printed(const struct run *run)
{
	return run->formatted - run->output.lines_lost;
}

#endif
