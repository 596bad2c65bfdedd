/* SPDX-License-Identifier: MIT */
/*
 * A run of the agent: the events to find (the plan), their source (the input), the state, and their
 * destination; its loop, account, metrics and pages.
 */
#ifndef AGENT_RUN_RUN_H
#define AGENT_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "agent/options/options.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "agent/process/loader.h"
#include "agent/process/pid_file.h"
#include "agent/record/captures.h"
#include "agent/record/recording.h"
#include "agent/run/budget.h"
#include "agent/run/canary.h"
#include "agent/run/groups.h"
#include "agent/run/hand_over.h"
#include "agent/run/input.h"
#include "agent/run/line_writer.h"
#include "agent/run/service.h"
#include "agent/run/take_over.h"
#include "output/delivery/outputs.h"
#include "scap/model/source.h"
#include "util/buf.h"
#include "util/error.h"

/* Tells outputs what the capture lost, for their drop records, and people that CPUs are silent. */

struct run;

/* Part of `struct run`; zeroed: nothing was said yet. */
struct losses {
	uint64_t said[LOSS_CAUSES_COUNT][EVENT_ID_MAX]; /* how many, so far */
	uint64_t due_ns; /* monotonic: when to look again */
	uint64_t before_ns; /* since the epoch: when it was looked before */
	uint64_t silence_due_ns; /* monotonic: when to look for silent CPUs again */
	uint32_t silent; /* how many there were then */
};

/* Looks for losses if that is due, once a second. To be called between two events. */
void losses_step(struct run *run, uint64_t now_ns);

/* Says that CPUs fall silent, and that none is any more; as losses_step(). */
void losses_say_silence(struct run *run, uint64_t now_ns);

/* What was lost so far is not said: it is another agent's. */
void losses_skip(struct run *run);

/*
 * Looks for the last time: the capture ends. What is lost after another agent took over is not
 * said: that one has it.
 */
void losses_end(struct run *run);

/* The account of a run on stderr: periodic lines, progress, and the report at the end. */

/* The counters so far, on one line without a newline: "seen 7 = ...". Returns 0 or -errno. */
int report_append_counters(const struct run *run, struct buf *text);

/* The same on stderr: "agent: after 2.0 s: ...". */
void report_print_line(const struct run *run, uint64_t elapsed_ns);

/* Appends the account of each output as whole lines. */
void report_append_outputs(const struct run *run, struct buf *text);

/* How much of the input was read, overwriting the last line, then `end`; nothing if unknown. */
void report_print_progress(const struct run *run, const char *end);

/*
 * The report; exact if the input was drained. Lines about causes of losses only if there are any.
 * With -q prints nothing, unless events are missing.
 */
void report_print(const struct run *run);

/* The tables of -S: on stdout, on stderr if stdout has JSON or a capture file. Returns 0 or -errno.
 */
int report_print_summary(struct run *run, struct error *err);

/* Whether events are missing: they were lost, or are corrupt. */
bool report_is_incomplete(const struct run *run);

/*
 * A run of the agent: the events to find (the plan), their source (the input), the state, and their
 * destination (standard output, a capture file).
 */

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

/*
 * The loop of a run: handles events until a limit, a signal or the end of the input, then those
 * captured before.
 */

/*
 * The run must be open. Returns 0 or -errno with a message; its counters are valid in both cases.
 */
int loop_run(struct run *run, struct error *err);

/* Processing of an event: state, filter or rules, output, and capture file. */

/* Handles an event of the input. Returns 0, or -errno with a message: the output failed. */
int handle_event(struct run *run, const struct scap_event *raw, struct error *err);

/* What a run counts, as metrics. Names are documented in deploy/manual/metrics.md. */

struct run;

/* Called by the thread of the loop. */
void metrics_append(const struct run *run, bool openmetrics, struct buf *out);

/* The pages of a run: metrics, health, status (option --http). */

/* The status of a run, for people. */

struct run;

/* Appends lines "NAME: VALUE". Called by the thread of the loop. */
void status_append(const struct run *run, struct buf *out);

/* The pages of a run: metrics, health, status (option --http). */

/*
 * Starts to serve them at each address of the options: run->controls. The run must be open. Returns
 * 0 or -errno with a message; pages_end() before anything of the run is destroyed.
 */
int pages_begin(struct run *run, struct error *err);
void pages_end(struct run *run);

/* For the loop: does what pages ask for. Cheap if there is nothing. */
void pages_serve(struct run *run);

#endif
