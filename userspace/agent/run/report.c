/* SPDX-License-Identifier: MIT */
/* Prints the counters of the run and of its input. */
#include "agent/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/containers.h"
#include "agent/run/report.h"
#include "agent/run/summary.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/terminal.h"

enum { SERVICE_LINE_BYTES = 512 };

static struct account report_account_of(const struct run *run)
{
	struct account account = {
		.matched = run->counts.matched,
		.filter_unknown = run->counts.filter_unknown,
		.printed = run_printed(run),
		.recording = run->recorder.recording,
		.ruleset = run->plan->ruleset,
		.reasons = run->plan->selection.events,
		.muted = run->mutes.count,
		.muted_total = run->mutes.total,
		.has_command = run->options->command,
		.verbose = run->options->verbose,
	};

	state_stats(run->state, &account.state);
	if (run->containers)
		containers_account(run->containers, &account.containers);
	return account;
}

int report_append_counters(const struct run *run, struct buf *text)
{
	struct account account = report_account_of(run);
	int r = run->input->ops->append_counters(run->input, text);

	if (r)
		return r;
	buf_printf(text,
		   ", matched %" PRIu64 ", printed %" PRIu64 "; threads %" PRIu64
		   ", descriptors %" PRIu64,
		   account.matched, account.printed, account.state.threads, account.state.fds);
	return 0;
}

void report_step_service(struct run *run, uint64_t now_ns)
{
	char line[SERVICE_LINE_BYTES];
	struct buf text = buf_fixed(line, sizeof(line));

	if (!service_step(&run->service, &run->outputs, now_ns) ||
	    report_append_counters(run, &text))
		return;
	buf_append_char(&text, '\0');
	if (!text.failed)
		service_status(&run->service, line);
}

static void append_list(const struct run *run, struct output *const *list, size_t count,
			struct buf *text)
{
	for (size_t i = 0; i < count; i++) {
		struct output_account account;

		output_account(list[i], &account);
		output_account_append(&account, run->options->verbose, text);
	}
}

/* Those that a reload replaced, too, while they still deliver. */
void report_append_outputs(const struct run *run, struct buf *text)
{
	const struct outputs *outputs = &run->outputs;

	append_list(run, outputs->ending, outputs->ending_count, text);
	append_list(run, outputs->list, outputs->count, text);
	for (size_t i = 0; i < run->recorder.captures.count; i++) {
		struct output_account account;

		capture_account(run->recorder.captures.list[i], &account);
		output_account_append(&account, run->options->verbose, text);
	}
}

void report_print_line(const struct run *run, uint64_t elapsed_ns)
{
	struct buf text = {0};

	buf_printf(&text, "agent: after %.1f s: ", (double)elapsed_ns / 1e9);
	if (report_append_counters(run, &text) == 0) {
		buf_append_char(&text, '\n');
		report_append_outputs(run, &text);
		terminal_print(stderr, &text);
	}
	buf_finish(&text);
}

static size_t report_count_events(const struct selection *selection)
{
	size_t n = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		n += (selection->events[id] & WHY_FILTER) != 0;
	return n;
}

/* "of all processes", "of ls and its children". */
static void append_followed(const struct options *options, struct buf *text)
{
	const char *children = options->follow ? " and its children" : "";

	if (options->command)
		buf_printf(text, "of %s%s", options->command[0], children);
	else if (options->pids_count == 1)
		buf_printf(text, "of process %d%s", options->pids[0], children);
	else if (options->pids_count)
		buf_printf(text, "of %zu processes%s", options->pids_count,
			   options->follow ? " and their children" : "");
	else
		BUF_LITERAL(text, "of all processes");
}

void report_print_begin(const struct run *run)
{
	const struct options *options = run->options;
	bool is_terminal = isatty(STDERR_FILENO) && !options->quiet;
	size_t count = report_count_events(&run->plan->selection);
	struct buf text = {0};

	if (options->read || !(is_terminal || options->verbose))
		return;
	BUF_LITERAL(&text, "agent: capturing");
	if (is_terminal) {
		buf_printf(&text, " %zu type%s of events ", count, count == 1 ? "" : "s");
		append_followed(options, &text);
	}
	/* For a command Ctrl-C is, too. */
	if (is_terminal && !options->command)
		BUF_LITERAL(&text, "; Ctrl-C ends");
	buf_append_char(&text, '\n');
	terminal_print(stderr, &text);
	buf_finish(&text);
}

void report_print_progress(const struct run *run, const char *end)
{
	int percent = run->input->ops->percent_read(run->input);

	if (percent >= 0)
		fprintf(stderr, "\r%3d%%%s", percent, end);
}

bool report_is_incomplete(const struct run *run)
{
	struct state_stats state;

	state_stats(run->state, &state);
	return run->input->ops->is_incomplete(run->input, &state);
}

bool report_lacks_of_command(const struct run *run)
{
	const struct event_counters *counters;

	return run->options->command && run->input->live &&
	       run->input->live->losses(run->input, &counters) == 0 &&
	       account_live_lost_asked(counters, run->plan->selection.events);
}

bool report_broke_promise(const struct run *run)
{
	/* What the agent that takes over does not get, it says. */
	if (takeover_old_is_gone(&run->takeover_old))
		return false;
	return outputs_broke_promise(&run->outputs) ||
	       captures_broke_promise(&run->recorder.captures);
}

static bool report_is_silent(const struct run *run)
{
	return run->options->quiet && !run->options->verbose && !report_is_incomplete(run) &&
	       !report_broke_promise(run);
}

struct count {
	struct filter *filter;
	uint64_t *decisions;
};

static void count_decision(const struct state_cgroups *cgroups, void *context)
{
	const struct count *count = context;

	count->decisions[filter_decide(count->filter, cgroups)]++;
}

/* Whether the filter or a line asks how long calls took. */
static bool wants_latency(const struct run *run)
{
	const struct filter *filter = run->plan->filter;

	return ((filter ? filter_needs(filter) : 0) | printer_needs(&run->printer)) &
	       NEEDS_ENTER_TIME;
}

/* Why nothing was printed, if that is not what the words said. */
static void append_hints(const struct run *run, struct buf *text)
{
	const struct run_counts *counts = &run->counts;

	if (counts->unshown && !counts->formatted)
		buf_printf(text,
			   "agent: none of %" PRIu64 " event%s has all fields of -p: with * in "
			   "front (-p '*%%...') a missing one is <NA>\n",
			   counts->unshown, counts->unshown == 1 ? "" : "s");
	if (run->options->read && !counts->timed && wants_latency(run))
		buf_printf(text,
			   "agent: %s does not say how long calls took: evt.latency has no value\n",
			   options_input_name(run->options));
}

void report_print(const struct run *run)
{
	struct account account = report_account_of(run);
	struct count count = {run->plan->filter, account.cgroups};
	struct error err = {""};
	struct buf text = {0};

	if (report_is_silent(run))
		return;
	if (account.verbose && count.filter)
		state_visit_cgroups(run->state, 0, count_decision, &count);
	if (run->input->ops->append_report(run->input, &account, &text, &err))
		buf_printf(&text, "agent: %s\n", err.text);
	append_hints(run, &text);
	if (run->requests)
		requests_append_account(run->requests, &text);
	translations_run_append_report(&run->translations, account.verbose, &text);
	hold_append_report(&run->hold, run->options, &text);
	budget_append_report(&run->budget, &text);
	outputs_append_last_status(&run->outputs, &text);
	buf_append(&text, run->outputs.ended.data, run->outputs.ended.len);
	report_append_outputs(run, &text);
	takeover_new_append_report(run, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
}

/* Tables must not be mixed with lines for programs or a capture file. */
static bool is_stdout_for_text(const struct run *run)
{
	const char *write = run->options->write;

	return !run->printer.format->for_programs && !(write && strcmp(write, "-") == 0) &&
	       !run->outputs.count && !run->recorder.captures.count;
}

int report_print_summary(struct run *run, struct error *err)
{
	struct buf text = {0};

	if (!run->summary)
		return 0;
	if (is_stdout_for_text(run)) {
		summary_append(run->summary, run->options->verbose, &run->line_writer.buf);
		return line_writer_flush(&run->line_writer, err);
	}
	summary_append(run->summary, run->options->verbose, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
	return 0;
}
