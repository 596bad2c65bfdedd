/* SPDX-License-Identifier: MIT */
/* Processing of each event: no allocation, no system call of its own. */
#include "agent/run/run.h"

#include <errno.h>
#include <string.h>

#include "agent/run/containers.h"
#include "agent/run/record.h"
#include "agent/run/summary.h"
#include "agent/run/view_calls.h"
#include "agent/run/view_threads.h"
#include "agent/run/viewer.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "util/terminal.h"

/* Counts an event that passed the filter or a rule. */
static void count_match(struct run *run)
{
	run->counts.matched++;
	run->ended = run->counts.matched == run->options->count;
}

/* `start`: where the line begins; hidden: it is without its secrets. */
static int end_line(struct run *run, size_t start, bool hidden, struct error *err)
{
	struct buf *buf = &run->line_writer.buf;

	run->counts.formatted++;
	if (!hidden && !buf->failed)
		printer_hide(&run->printer, buf->data + start, buf->len - start);
	/* Matches of rules stay whole. */
	if (run->printer.width && !run->plan->ruleset)
		terminal_cut(buf, start, run->printer.width);
	line_writer_end_line(&run->line_writer);
	return line_writer_flush_if_full(&run->line_writer, err);
}

static int print_match(struct run *run, size_t rule, struct state_event *event, struct error *err)
{
	const struct printer *printer = &run->printer;
	struct ruleset *ruleset = run->plan->ruleset;
	size_t start = run->line_writer.buf.len;

	if (run->outputs.count)
		outputs_match(&run->outputs, ruleset, rule, event);
	if (printer->format->silent)
		return 0;
	/* Outputs with the same format hide what they do. */
	ruleset_set_hider(ruleset, rule, 0, &printer->style.hider);
	ruleset_append(ruleset, rule, 0, event, printer->formatter, &run->line_writer.buf);
	return end_line(run, start, false, err);
}

/*
 * Prints a line for the first matching rule, or for each. One of which it is unknown whether it
 * matches does not stand in the way of others.
 */
static int show_rules(struct run *run, struct state_event *event, bool *passed, struct error *err)
{
	struct ruleset *ruleset = run->plan->ruleset;
	int result = 0;

	for (size_t rule = 0; !run->ended && result == 0; rule++) {
		rule = ruleset_next(ruleset, event, rule);
		if (rule == FILTER_NONE)
			break;
		*passed = true;
		state_event_note_answer(event, filter_is_unknown(ruleset_filter(ruleset)));
		count_match(run);
		result = print_match(run, rule, event, err);
		if (!run->plan->options->all_rules && !event->filter_unknown)
			break;
	}
	return result;
}

/* In the form of strace. */
static int show_call(struct run *run, const struct state_event *event, struct error *err)
{
	if (!trace_take(run->trace, event, &run->line_writer.buf))
		return 0;
	run->counts.formatted++;
	line_writer_end_line(&run->line_writer);
	return line_writer_flush_if_full(&run->line_writer, err);
}

/* Checks whether an event passes, and prints it. */
static int show(struct run *run, struct state_event *event, bool *passed, struct error *err)
{
	const struct plan *plan = run->plan;
	size_t start = run->line_writer.buf.len;

	if (plan->ruleset)
		return show_rules(run, event, passed, err);
	if (plan->filter && !filter_match(plan->filter, event))
		return 0;
	*passed = true;
	if (plan->filter)
		state_event_note_answer(event, filter_is_unknown(plan->filter));
	count_match(run);
	if (run->outputs.count)
		outputs_event(&run->outputs, event);
	if (run->viewer)
		return viewer_take(run->viewer, event, &run->line_writer, err);
	if (run->trace)
		return show_call(run, event, err);
	if (!run->printer.formatter)
		return 0;
	if (!formatter_write(run->printer.formatter, event, &run->line_writer.buf)) {
		run->counts.unshown++;
		return 0;
	}
	return end_line(run, start, run->printer.hides_parts, err);
}

/* Events that only update the state were not requested. */
static bool is_asked_for(const struct run *run, const struct scap_event *raw,
			 const struct state_event *event)
{
	if (run->processes.follow.count && !(event->thread && event->thread->followed))
		return false;
	return !raw->hidden && (run->plan->selection.events[event->ev.desc->id] & WHY_FILTER);
}

/* Whether an event of a capture file is made again of others. */
static bool is_made_again(const struct run *run, const struct state_event *event)
{
	struct requests_stats stats;

	if (event->ev.desc->id != EVENT_request || !run->requests)
		return false;
	requests_stats(run->requests, &stats);
	return stats.sockets;
}

/* made: it is not of the input. */
static int handle_frame(struct run *run, const struct scap_event *raw, bool made, struct error *err)
{
	struct state_event event;
	bool passed = false;
	int result = 0;

	if (run->flight.gives)
		flight_turn(run, raw);
	if (record_has_files(&run->recorder))
		record_turn(&run->recorder, raw);
	if (run->containers)
		containers_apply(run->containers);
	if (run->view_threads && view_threads_note(run, raw)) {
		result = view_calls_take(run, false, err);
		view_threads_forget(run);
		if (result)
			return result;
	}
	/* state_process() counts invalid frames. */
	if (state_process(run->state, raw, &event))
		return 0;
	if (run->containers)
		containers_follow(run->containers);
	if (canary_runs(&run->pages.canary) && canary_takes(&run->pages.canary, &event))
		return 0;
	if (event.ev.desc->id == EVENT_bpf && run->input->live)
		run->input->live->note_bpf(run->input, &event);
	run->counts.timed += event.ev.latency_ns != LATENCY_UNKNOWN;
	run->clock.last_ns = event.ev.ts_ns;
	if (run->viewer)
		result = viewer_note_time(run->viewer, event.ev.ts_ns, &run->line_writer, err);
	if (result)
		return result;
	if (run->requests && !made)
		requests_take(run->requests, &event);
	if (made && run->containers)
		containers_meet_peer(run->containers, &event);
	if (made || !is_made_again(run, &event)) {
		if (run->request_metrics)
			request_metrics_take(run->request_metrics, &event);
		if (is_asked_for(run, raw, &event))
			result = show(run, &event, &passed, err);
	}
	if (passed && run->summary)
		summary_count(run->summary, &event);
	run->counts.filter_unknown += event.was_unknown;
	if (record_has_files(&run->recorder))
		record_event(&run->recorder, raw, &event, passed);
	if (run->plan->kernel_filters.mutes) {
		const struct mutes_scene scene = run_mutes_scene(run);

		mutes_note(&run->mutes, &scene, &event, passed);
	}
	run->ended |= run_has_no_output(run);
	return result;
}

/* Takes the requests that have ended the way of an event. */
static int handle_ended(struct run *run, const struct scap_event *last, struct error *err)
{
	struct scap_event made = {.cpu = last->cpu, .clock_step_ns = last->clock_step_ns};
	int result = 0;

	translations_run_step(&run->translations, run->requests);
	while (result == 0 && !run->ended) {
		translations_run_wait(&run->translations, run->requests, run->input);
		made.frame = requests_next(run->requests, &made.len);
		if (!made.frame)
			break;
		result = handle_frame(run, &made, true, err);
	}
	return result;
}

/* Not inlined, so that events need no stack for it while no requests are followed. */
static __attribute__((noinline)) int
handle_with_requests(struct run *run, const struct scap_event *raw, struct error *err)
{
	int result = handle_frame(run, raw, false, err);

	return result ? result : handle_ended(run, raw, err);
}

int handle_event(struct run *run, const struct scap_event *raw, struct error *err)
{
	if (run->ended)
		return 0;
	return run->requests ? handle_with_requests(run, raw, err)
			     : handle_frame(run, raw, false, err);
}

static uint64_t events_now_ns(struct run *run)
{
	struct run_clock *clock = &run->clock;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!clock->last_ns)
		return 0;
	if (clock->last_ns != clock->seen_ns) {
		clock->seen_ns = clock->last_ns;
		clock->seen_at_ns = now;
	}
	return run->input->live ? clock->seen_ns + (now - clock->seen_at_ns) : clock->last_ns;
}

static void limit_streams(struct run *run)
{
	struct requests_limit limit;

	while (requests_next_limit(run->requests, &limit))
		if (run->input->live)
			run->input->live->limit_stream(run->input, limit.ino, limit.bytes);
}

void handle_tell_limits(struct run *run)
{
	if (!run->requests)
		return;
	requests_tell_limits(run->requests);
	limit_streams(run);
}

int handle_requests(struct run *run, struct error *err)
{
	static const struct scap_event none;
	struct requests_config config = {0};
	int r = 0;

	if (run->request_metrics)
		request_metrics_step(run->request_metrics, events_now_ns(run));
	if (!selection_has_requests(&run->plan->selection)) {
		requests_destroy(run->requests);
		run->requests = NULL;
		translations_run_forget(&run->translations);
		return 0;
	}
	if (!run->requests) {
		if (run->input->live)
			config.begin_ns = clock_ns(CLOCK_REALTIME);
		config.by_descriptor = !run->input->live;
		config.of_unknown = run->plan->of_unknown;
		r = requests_create(&config, &run->requests);
		state_tell_gone(run->state);
	}
	if (r)
		return error_set(err, r, "cannot follow requests: %s", strerror(-r));
	requests_want_unknown(run->requests, run->plan->of_unknown);
	requests_explain_from(run->requests, run->plan->options->why_ns);
	if (requests_want_translations(run->requests, run->translations.translator))
		return error_set(err, -ENOMEM, "out of memory");
	requests_leave_out(run->requests, &run->plan->unwanted);
	limit_streams(run);
	requests_step(run->requests, events_now_ns(run));
	return handle_ended(run, &none, err);
}

int handle_last_requests(struct run *run, struct error *err)
{
	static const struct scap_event none;

	if (!run->requests)
		return 0;
	requests_end(run->requests, events_now_ns(run));
	return handle_ended(run, &none, err);
}
