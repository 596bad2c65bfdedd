/* SPDX-License-Identifier: MIT */
/*
 * A run of the agent: the events to find (the plan), their source (the input), the state, and where
 * they go (lines, a recording, outputs); and the loop that moves them.
 */
#ifndef AGENT_RUN_RUN_H
#define AGENT_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/continuous/continuous.h"
#include "agent/plan/printer.h"
#include "agent/process/pid_file.h"
#include "agent/run/budget.h"
#include "agent/run/container_counters.h"
#include "agent/run/flight.h"
#include "agent/input/hold.h"
#include "agent/run/takeover_old.h"
#include "agent/input/input.h"
#include "agent/run/line_writer.h"
#include "agent/run/losses.h"
#include "agent/run/measures.h"
#include "agent/run/mutes.h"
#include "agent/run/pages.h"
#include "agent/run/record.h"
#include "agent/run/service.h"
#include "agent/run/takeover_new.h"
#include "agent/run/translations.h"
#include "requests/metrics/request_metrics.h"
#include "requests/requests.h"

/* Whose events are captured, if not those of all processes. */
struct run_processes {
	struct state_follow follow;
	struct child *child; /* borrowed: the run ends when it exits; NULL: none */
	pid_t child_pid; /* the same, as in events */
};

/* What time it is for events, also while none come. */
struct run_clock {
	uint64_t last_ns; /* of the last event */
	uint64_t seen_ns, seen_at_ns; /* that, as it was first found at this monotonic time */
};

struct run_counts {
	uint64_t matched; /* events that passed the filter */
	uint64_t filter_unknown; /* of these, whose missing parts decide */
	uint64_t formatted; /* of these, handed to the output */
	uint64_t unshown; /* of these, without a line: a field of -p has no value */
	uint64_t timed; /* events of which it is known how long the call took */
};

struct run {
	const struct options *options; /* borrowed */
	struct printer printer;
	struct plan *plan; /* replaced as a whole by new rules */
	struct input_helpers helpers;
	struct input *input;
	struct run_processes processes;
	struct state *state;
	struct mute_groups groups;
	struct mutes mutes;
	struct requests *requests; /* NULL: the plan does not want any */
	struct translations_run translations; /* of the addresses in them */
	struct request_metrics *request_metrics; /* NULL: not asked for */
	struct container_counters *counters; /* NULL: not asked for */
	struct continuous continuous; /* profiles */
	struct run_clock clock;
	struct containers *containers; /* NULL: a capture file is read */
	struct run_counts counts;
	struct summary *summary; /* NULL: not requested */
	struct viewer *viewer; /* NULL: events are printed, not counted */
	bool left_gate; /* of calls that the kernel counts: see view_calls.c */
	struct view_threads *view_threads; /* likewise, by threads; NULL: they are not */
	uint64_t calls_due_ns; /* monotonic clock: when their rows are read at the latest */
	struct trace *trace; /* NULL: they are printed, but not as strace does */
	struct run_recorder recorder;
	struct flight flight;
	struct line_writer line_writer;
	struct outputs outputs; /* without any, lines are printed */
	bool ended; /* no more events are needed: -n is reached, or nobody reads them any more */
	struct budget budget;
	struct hold hold;
	struct losses losses; /* said to the outputs */
	struct measures measures;
	struct service service;
	struct pages pages;
	struct pid_file pid_file;
	struct takeover_new takeover_new; /* this run from another agent */
	struct takeover_old takeover_old; /* another agent from this run */
};

/*
 * Creates the plan, which needs no privileges; messages as for plan_create(). Returns 0 or -errno
 * with a message; release with run_finish() in every case.
 */
int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err);

/*
 * Opens the input, then reads the initial state, so that no change is missed. child: a waiting
 * command, whose events are captured from its start; NULL: none. Returns 0 or -errno with a
 * message.
 */
int run_open(struct run *run, struct child *child, struct error *err);

/*
 * Begins to look for descriptions of containers if the plan needs them. Returns 0 or -errno with a
 * message.
 */
int run_follow_containers(struct run *run, struct error *err);

/* Whether -w has ended early, and events go nowhere else: then the run ends. */
static inline bool run_has_no_output(const struct run *run)
{
	return run->recorder.stopped && run->printer.format->silent && !run->outputs.count &&
	       !run->recorder.captures.count;
}

/* Releases all of it, in the order of what needs what; accepts a run that was not opened. */
void run_finish(struct run *run);

static inline struct mutes_scene run_mutes_scene(const struct run *run)
{
	return (struct mutes_scene){run->input, run->plan, run->state};
}

/* Events that were completely written. */
static inline uint64_t run_printed(const struct run *run)
{
	return run->counts.formatted - run->line_writer.lines_lost;
}

/*
 * Handles events until a limit, a signal or the end of the input, then those captured before. The
 * run must be open. Returns 0 or -errno with a message; its counters are valid in both cases.
 */
int loop_run(struct run *run, struct error *err);

/*
 * Begins or ends to make requests of events, as the plan wants it; says how many bytes of calls are
 * wanted, and takes the requests that waited for too long the way of an event. Returns 0 or -errno
 * with a message.
 */
int handle_requests(struct run *run, struct error *err);

/*
 * Tells a capture that has begun beside the current one what is wanted of sockets, before that one
 * ends.
 */
void handle_tell_limits(struct run *run);

/*
 * Ends the requests that have no response yet, as no event will follow. Returns 0 or -errno with a
 * message.
 */
int handle_last_requests(struct run *run, struct error *err);

/*
 * Takes an event of the input through the state, the filter or rules, the outputs and capture
 * files. Returns 0, or -errno with a message: standard output failed.
 */
int handle_event(struct run *run, const struct scap_event *raw, struct error *err);

#endif
