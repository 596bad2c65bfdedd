/* SPDX-License-Identifier: MIT */
/*
 * A run of the agent: the events to find (the plan), their source (the input), the state, and their
 * destination (standard output, a capture file).
 */
#ifndef AGENT_RUN_RUN_H
#define AGENT_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/run/budget.h"
#include "agent/options/options.h"
#include "agent/run/groups.h"
#include "agent/run/input.h"
#include "agent/run/hand_over.h"
#include "agent/run/line_writer.h"
#include "agent/run/losses.h"
#include "agent/run/canary.h"
#include "agent/process/loader.h"
#include "agent/process/pid_file.h"
#include "agent/run/service.h"
#include "agent/run/take_over.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "agent/record/captures.h"
#include "agent/record/recording.h"
#include "output/delivery/outputs.h"
#include "util/error.h"

struct run {
	const struct options *options; /* borrowed */
	struct printer printer;
	struct plan *plan; /* replaced as a whole by new rules */
	struct loader loader; /* of the input */
	struct proc_readers *readers; /* a reference; of the input */
	struct input *input;
	struct sinsp_follow follow; /* processes whose events are captured */
	pid_t child_pid; /* of `child`, as in events */
	struct child *child; /* borrowed: the run ends when it exits; NULL: none */
	struct sinsp *sinsp;
	struct groups groups;
	struct containers *containers; /* NULL: a capture file is read */
	struct summary *summary; /* NULL: not requested */
	struct recording_config recording_config;
	struct recording *recording; /* of -w; NULL: nothing was recorded */
	bool is_recording; /* false also after an error of the recording, which was printed */
	bool recording_failed;
	bool ended; /* no more events are needed: -n is reached, or the output has no reader */
	struct line_writer line_writer;
	struct budget budget;
	struct losses losses; /* said to the outputs */
	struct outputs outputs; /* without any, lines are printed */
	struct captures captures; /* the outputs that are captures */
	struct service service;
	struct control *controls[HTTP_MAX]; /* one an address that pages are served at */
	struct canary canary; /* of the pages */
	struct pid_file pid_file;
	struct take_over take_over; /* this run from another agent */
	struct hand_over hand_over; /* another agent from this run */
	uint64_t matched; /* events that passed the filter */
	uint64_t filter_unknown; /* of these, whose missing parts decide */
	uint64_t formatted; /* of these, handed to the output */
};

/*
 * Creates the plan, which needs no privileges; messages as for plan_create(). Returns 0 or -errno
 * with a message; release with run_finish() in every case.
 */
int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err);

/*
 * Opens the input, then reads the initial state, so that no change is missed. child: a waiting
 * command, whose events are captured from its start; NULL: none. As above.
 */
int run_open(struct run *run, struct child *child, struct error *err);

/* Begins to look for descriptions of containers if the plan needs them. As above. */
int run_follow_containers(struct run *run, struct error *err);

void run_finish(struct run *run);

/* Whether SIGHUP is a request to reload; otherwise, and without outputs, it ends the run. */
static inline bool run_can_reload(const struct run *run)
{
	return run->options->rules_count || run->options->config || run->options->pid_file;
}

/* Events that were completely written. */
static inline uint64_t run_printed(const struct run *run)
{
	return run->formatted - run->line_writer.lines_lost;
}

#endif
