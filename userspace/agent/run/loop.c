/* SPDX-License-Identifier: MIT */
/* The loop, its limits and its end. */
#include "agent/run/run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/child.h"
#include "agent/run/containers.h"
#include "agent/run/reload.h"
#include "agent/run/report.h"
#include "agent/run/view_calls.h"
#include "agent/run/view_threads.h"
#include "agent/run/viewer.h"
#include "agent/process/signals.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "util/terminal.h"
#include "util/waker.h"

enum {
	TICK_MS = 100, /* how long to wait for an event before other checks */
	IDLE_TICK_MS = 1000, /* the same while nothing is under way; who has news calls the waker */
	EVENTS_PER_CHECK = 256, /* how many events to handle before other checks */
	PROGRESS_NS = 1000000000,
	CALLS_NS = 500000000,
	NS_PER_MS = 1000000,
};

struct loop {
	struct run *run;
	struct reload *reload;
	struct scap_source *source;
	uint64_t begin_ns, stats_due_ns, progress_due_ns; /* monotonic clock */
	bool shows_progress, showed_progress;
	bool learns; /* what processes execute */
};

/* Prints counters and progress if it is time. */
static void print_reports(struct loop *loop, uint64_t now)
{
	const struct options *options = loop->run->options;

	if (options->stats_ns && now >= loop->stats_due_ns) {
		report_print_line(loop->run, now - loop->begin_ns);
		/* After a pause, one line for all that are overdue. */
		loop->stats_due_ns +=
			((now - loop->stats_due_ns) / options->stats_ns + 1) * options->stats_ns;
	}
	if (loop->shows_progress && now >= loop->progress_due_ns) {
		report_print_progress(loop->run, "");
		loop->showed_progress = true;
		loop->progress_due_ns = now + PROGRESS_NS;
	}
}

/* Who waits at a terminal sees how far it is, unless events go there. */
static bool shows_progress(const struct run *run)
{
	if (!run->options->read || run->options->quiet)
		return false;
	return isatty(STDERR_FILENO) && (run->printer.format->silent || !isatty(STDOUT_FILENO));
}

/* Hands over records, and prints what outputs have to say. */
static void step_outputs(struct run *run, uint64_t now)
{
	struct buf messages = {0};

	losses_step(&run->losses, run->input, &run->plan->selection, &run->outputs, now);
	measures_step(run, now, false);
	outputs_step(&run->outputs, now, &messages);
	terminal_print(stderr, &messages);
	buf_finish(&messages);
	run->ended |= outputs_are_gone(&run->outputs) && !run->recorder.captures.count;
}

static void step_budget(struct run *run, uint64_t now)
{
	struct buf messages = {0};

	budget_step(&run->budget, run->input, now, &messages);
	terminal_print(stderr, &messages);
	buf_finish(&messages);
}

/* SIGHUP: files are opened anew, the configuration and rules are read again. */
static void take_hangup(struct loop *loop, bool forced)
{
	outputs_reopen(&loop->run->outputs);
	captures_reopen(&loop->run->recorder.captures);
	if (options_can_reload(loop->run->options))
		reload_request(loop->reload, forced);
}

/* Says once that it has ended: what is loaded goes on. */
static void check_loader(struct loader *loader, uint64_t now)
{
	if (!loader->pid || loader->ended || loader_runs(loader, now))
		return;
	fputs("agent: the process that loads programs has ended: the capture goes on, but a reload "
	      "that needs other programs fails, and CPUs that go online are not captured; restart "
	      "the agent\n",
	      stderr);
}

/* Does what is due beside the events: what ends the run is noted. idle: no events at present. */
static void run_step(struct loop *loop, bool idle)
{
	struct run *run = loop->run;
	const struct mutes_scene scene = run_mutes_scene(run);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool forced = false;

	waker_rest(run->helpers.waker);
	print_reports(loop, now);
	step_budget(run, now);
	hold_step(&run->hold, run->input);
	report_step_service(run, now);
	pages_serve(&run->pages);
	takeover_old_step(run, now);
	/* Who follows pods or runtimes has something to say also while there are no events. */
	if (run->containers)
		containers_apply(run->containers);
	if (run->counters)
		container_counters_step(run->counters, run->state, now);
	if (run->input->live) {
		loop->learns = run->input->live->learn(run->input, run->state, now);
		state_check_lateness(run->state, !idle);
	}
	mute_groups_step(&run->groups, run->input, run->plan, run->state, now);
	mutes_step(&run->mutes, &scene, now);
	record_step(&run->recorder, now, idle);
	flight_step(run, !reload_is_under_way(loop->reload));
	if (run->outputs.count)
		step_outputs(run, now);
	check_loader(&run->helpers.loader, now);
	continuous_step(&run->continuous, now);
	losses_say_silence(&run->losses, run->input, now);
	if (signals_take_reload(&forced))
		take_hangup(loop, forced);
	reload_step(loop->reload);
	loop->source = run->input->ops->step(run->input);
	run->ended |= run->line_writer.closed || run_has_no_output(run) ||
		      (run->viewer && viewer_has_ended(run->viewer));
}

/* Whether the command, or all chosen processes, have exited. */
static bool processes_have_exited(const struct run *run)
{
	struct state_stats state;

	if (run->processes.child)
		return child_has_exited(run->processes.child);
	if (!run->options->pids_count || run->options->read)
		return false;
	state_stats(run->state, &state);
	return state.followed == 0;
}

/* Whether no more events are needed: a limit, a signal, or all that was watched has exited. */
static bool run_is_over(const struct run *run)
{
	return run->ended || signals_count() > 0 || processes_have_exited(run);
}

/*
 * Handles up to EVENTS_PER_CHECK events; waits at most for the first. Returns their number,
 * -ENODATA at the end of the input, or another error.
 */
static int handle_some(struct loop *loop, int timeout_ms, struct error *err)
{
	struct run *run = loop->run;
	struct scap_event raw;
	int n, got, result = handle_requests(run, err);

	if (result)
		return result;
	for (n = 0; n < EVENTS_PER_CHECK && !run->ended; n++) {
		got = scap_source_next(loop->source, n ? 0 : timeout_ms, &raw);
		if (got == 0)
			break;
		if (got == -ENODATA)
			return got;
		if (got < 0)
			return run->input->ops->fail(run->input, got, err);
		result = handle_event(run, &raw, err);
		if (result)
			return result;
	}
	return n;
}

/* Whether something has to be done soon, of which nobody says when it is time. */
static bool is_under_way(const struct loop *loop)
{
	const struct run *run = loop->run;

	return !run->input->waker || run->input->changing || run->hold.holds || loop->learns ||
	       budget_is_set(&run->budget) || takeover_old_talks(&run->takeover_old) ||
	       reload_is_under_way(loop->reload) || outputs_have_more(&run->outputs);
}

static int ms_until(uint64_t due_ns, uint64_t now)
{
	uint64_t ms = due_ns > now ? (due_ns - now) / NS_PER_MS + 1 : 0;

	return ms < IDLE_TICK_MS ? (int)ms : IDLE_TICK_MS;
}

/* How long to wait for the next event, after some were handled. */
static int wait_ms(const struct loop *loop, int handled)
{
	const struct options *options = loop->run->options;
	uint64_t now, due_ns;

	if (handled == EVENTS_PER_CHECK)
		return 0;
	if (handled || is_under_way(loop))
		return TICK_MS;
	now = clock_ns(CLOCK_MONOTONIC);
	due_ns = service_due_ns(&loop->run->service);
	if (options->stats_ns && loop->stats_due_ns < due_ns)
		due_ns = loop->stats_due_ns;
	if (loop->run->viewer && viewer_due_ns(loop->run->viewer) < due_ns)
		due_ns = viewer_due_ns(loop->run->viewer);
	if (loop->run->view_threads && loop->run->calls_due_ns < due_ns)
		due_ns = loop->run->calls_due_ns;
	return ms_until(due_ns, now);
}

/*
 * Rows of threads that have ended give their room back when they are read, also where one table is
 * printed at the end.
 */
static bool calls_are_due(const struct run *run, uint64_t now_ns)
{
	return viewer_is_due(run->viewer, now_ns) ||
	       (run->view_threads && now_ns >= run->calls_due_ns);
}

static int step_viewer(struct run *run, bool idle, struct error *err)
{
	uint64_t now_ns;
	int r = 0;

	if (!run->viewer)
		return 0;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	if (calls_are_due(run, now_ns)) {
		run->calls_due_ns = now_ns + CALLS_NS;
		r = view_calls_take(run, false, err);
	}
	return r ? r : viewer_step(run->viewer, now_ns, idle, &run->line_writer, err);
}

/* Returns 0 if the input or the run ends. */
static int turn(struct loop *loop, struct error *err)
{
	struct line_writer *writer = &loop->run->line_writer;
	int timeout_ms = 0, n, result;

	for (;;) {
		if (timeout_ms && loop->source)
			view_threads_settle(loop->run, scap_source_settled(loop->source));
		result = step_viewer(loop->run, timeout_ms != 0, err);
		if (result)
			return result;
		run_step(loop, timeout_ms != 0);
		if (run_is_over(loop->run))
			return 0;
		n = handle_some(loop, timeout_ms, err);
		if (n < 0)
			return n == -ENODATA ? 0 : n;
		timeout_ms = wait_ms(loop, n);
		if (timeout_ms == 0)
			continue;
		/* All events were handled: a reader may wait for the last lines. */
		result = line_writer_flush(writer, err);
		if (result)
			return result;
		if (!loop->run->outputs.count)
			line_writer_check_reader(writer);
	}
}

/* Handles the remaining events of the input, so that every seen event is accounted for. */
static int loop_drain(struct loop *loop, struct error *err)
{
	struct run *run = loop->run;
	struct scap_source *rest = run->input->ops->stop(run->input);
	struct scap_event raw;
	int got = -ENODATA, result = 0;

	while (rest && (got = scap_source_next(rest, TICK_MS, &raw)) >= 0) {
		if (got == 1 && result == 0)
			result = handle_event(run, &raw, err);
		run->ended |= run->line_writer.closed;
	}
	if (result == 0)
		result = handle_last_requests(run, err);
	if (result == 0 && got != -ENODATA)
		result = run->input->ops->fail(run->input, got, err);
	record_close(&run->recorder);
	/* What is lost after another agent took over is not said here: that one has it. */
	if (!takeover_old_is_gone(&run->takeover_old))
		losses_end(&run->losses, run->input, &run->plan->selection, &run->outputs);
	measures_step(run, clock_ns(CLOCK_MONOTONIC), true);
	outputs_close(&run->outputs, signals_are_insistent);
	takeover_old_account(run);
	return result ? result : line_writer_flush(&run->line_writer, err);
}

int loop_run(struct run *run, struct error *err)
{
	struct loop loop = {.run = run, .begin_ns = clock_ns(CLOCK_MONOTONIC)};
	int result, drained;

	result = reload_create(run, &loop.reload);
	if (result)
		return error_set(err, result, "out of memory");
	loop.stats_due_ns = loop.begin_ns + run->options->stats_ns;
	loop.progress_due_ns = loop.begin_ns + PROGRESS_NS;
	loop.shows_progress = run->options->progress || shows_progress(run);
	if (run->options->duration_ns)
		signals_end_after(run->options->duration_ns);
	result = turn(&loop, err);
	takeover_old_leave(run);
	service_notify(&run->service, NOTIFY_STOPPING);
	drained = loop_drain(&loop, result ? NULL : err);
	if (result == 0 && drained == 0)
		result = report_print_summary(run, err);
	if (result == 0 && drained == 0 && run->viewer)
		result = view_calls_take(run, true, err);
	if (result == 0 && drained == 0 && run->viewer)
		result = viewer_end(run->viewer, &run->line_writer, err);
	if (result == 0 && drained == 0 && run->trace) {
		trace_append_table(run->trace, &run->line_writer.buf);
		result = line_writer_flush(&run->line_writer, err);
	}
	reload_destroy(loop.reload);
	if (run->options->progress || loop.showed_progress)
		report_print_progress(run, "\n");
	return result ? result : drained;
}
