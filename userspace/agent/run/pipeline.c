/* SPDX-License-Identifier: MIT */
/* The loop, its limits, and its end. */
#include "agent/run/pipeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/capture.h"
#include "agent/run/output.h"
#include "agent/run/record.h"
#include "agent/run/reload.h"
#include "agent/run/signals.h"
#include "agent/run/stats.h"
#include "scap/file/reader.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

enum {
	TICK_MS = 100,		/* how long to wait for an event before looking at other things */
	EVENTS_PER_CHECK = 256, /* how many events to handle before looking at other things */
	PROGRESS_NS = 1000000000,
};

struct pipeline {
	struct capture *capture;
	struct reload *reload;
	struct scap_source *source;
	struct record *record; /* NULL: nothing is recorded, or no longer */
	struct output output;
	uint64_t matched, formatted;
	uint64_t begin_ns, stats_due_ns, progress_due_ns;
	bool broken_off, record_failed;
	bool ended; /* no more events are wanted: -n is reached, or nobody reads */
};

/* An event passed: the filter, or a rule. */
static void count_match(struct pipeline *pipeline)
{
	pipeline->matched++;
	pipeline->ended = pipeline->matched == pipeline->capture->options->count;
}

static int end_line(struct pipeline *pipeline, struct error *err)
{
	pipeline->formatted++;
	output_end_line(&pipeline->output);
	return output_flush_if_full(&pipeline->output, err);
}

/* A line for the first rule that the event matches, or for each. */
static int show_rules(struct pipeline *pipeline, const struct sinsp_event *event, bool *passed,
		      struct error *err)
{
	const struct capture *capture = pipeline->capture;
	struct buf *out = &pipeline->output.buf;
	int result = 0;

	for (size_t rule = 0; !pipeline->ended && result == 0; rule++) {
		rule = ruleset_next(capture->ruleset, event, rule);
		if (rule == FILTER_NONE)
			break;
		*passed = true;
		count_match(pipeline);
		if (capture->format != FORMAT_NONE) {
			ruleset_append(capture->ruleset, rule, event, capture->formatter, out);
			result = end_line(pipeline, err);
		}
		if (!capture->options->all_rules)
			break;
	}
	return result;
}

/* An event that may pass: says whether it does, and prints what there is to print. */
static int show(struct pipeline *pipeline, const struct sinsp_event *event, bool *passed,
		struct error *err)
{
	const struct capture *capture = pipeline->capture;

	if (capture->ruleset)
		return show_rules(pipeline, event, passed, err);
	if (capture->filter && !filter_match(capture->filter, event))
		return 0;
	*passed = true;
	count_match(pipeline);
	if (!capture->formatter)
		return 0;
	if (!formatter_write(capture->formatter, event, &pipeline->output.buf))
		return 0;
	return end_line(pipeline, err);
}

/* Events that are there for the state alone are nothing that was asked for. */
static bool is_asked_for(const struct capture *capture, const struct scap_event *raw,
			 const struct sinsp_event *event)
{
	return !raw->hidden && (capture->selection.events[event->ev.desc->id] & WHY_FILTER);
}

/* After the result of a record function: said at once; the rest goes on if anything is printed. */
static void check_record(struct pipeline *pipeline, int result)
{
	const struct capture *capture = pipeline->capture;

	if (result == 0)
		return;
	pipeline->record = NULL;
	pipeline->record_failed = !record_is_unread(result);
	pipeline->ended |= capture->format == FORMAT_NONE;
	if (pipeline->record_failed)
		fprintf(stderr, "agent: %s\n", record_problem(capture->record));
	record_close(capture->record); /* for the account; what it says is known */
}

static int handle(struct pipeline *pipeline, const struct scap_event *raw, struct error *err)
{
	const struct capture *capture = pipeline->capture;
	struct sinsp_event event;
	bool passed = false;
	int result = 0;

	if (pipeline->ended)
		return 0;
	if (pipeline->record)
		check_record(pipeline, record_turn(pipeline->record, raw));
	/* Frames that cannot be used are counted there. */
	if (sinsp_process(capture->sinsp, raw, &event))
		return 0;
	if (is_asked_for(capture, raw, &event))
		result = show(pipeline, &event, &passed, err);
	if (pipeline->record)
		check_record(pipeline,
			     record_event(pipeline->record, raw, event.ev.desc->id, passed));
	return result;
}

static struct pipeline_counts counts_now(const struct pipeline *pipeline)
{
	return (struct pipeline_counts){
		.matched = pipeline->matched,
		.printed = pipeline->formatted - pipeline->output.lines_lost,
		.broken_off = pipeline->broken_off,
		.record_failed = pipeline->record_failed,
	};
}

/* Counters and progress, as the clock says. */
static void tell(struct pipeline *pipeline, uint64_t now)
{
	const struct options *options = pipeline->capture->options;

	if (options->stats_ns && now >= pipeline->stats_due_ns) {
		struct pipeline_counts counts = counts_now(pipeline);

		stats_print_line(pipeline->capture, &counts, now - pipeline->begin_ns);
		while (pipeline->stats_due_ns <= now)
			pipeline->stats_due_ns += options->stats_ns;
	}
	if (options->progress && now >= pipeline->progress_due_ns) {
		stats_print_progress(pipeline->capture);
		pipeline->progress_due_ns = now + PROGRESS_NS;
	}
}

/*
 * What does not depend on events: signals (-M makes one), counters, and whether anybody reads. idle:
 * there were no more events for now.
 */
static bool may_go_on(struct pipeline *pipeline, bool idle)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	tell(pipeline, now);
	if (pipeline->record)
		check_record(pipeline, record_flush(pipeline->record, now, idle));
	if (pipeline->output.closed)
		pipeline->ended = true;
	if (signals_take_reload())
		reload_request(pipeline->reload);
	pipeline->source = reload_step(pipeline->reload);
	return !pipeline->ended && signals_count() == 0;
}

/* The source ended with an error. That a file breaks off is none: all before that was read. */
static int end_source(struct pipeline *pipeline, int code, struct error *err)
{
	const struct capture *capture = pipeline->capture;

	if (!capture->reader)
		return error_set(err, code, "reading events: %s", strerror(-code));
	pipeline->broken_off = code == -EPIPE;
	if (pipeline->broken_off)
		return -ENODATA;
	return error_set(err, code, "%s: %s", options_input_name(capture->options),
			 scap_reader_problem(capture->reader));
}

/*
 * Handles up to EVENTS_PER_CHECK events, the first of which may be waited for. Returns how many
 * there were, -ENODATA at the end of the source, or another error.
 */
static int handle_some(struct pipeline *pipeline, int timeout_ms, struct error *err)
{
	struct scap_event raw;
	int n, got, result;

	for (n = 0; n < EVENTS_PER_CHECK && !pipeline->ended; n++) {
		got = scap_source_next(pipeline->source, n ? 0 : timeout_ms, &raw);
		if (got == 0)
			break;
		if (got == -ENODATA)
			return got;
		if (got < 0)
			return end_source(pipeline, got, err);
		result = handle(pipeline, &raw, err);
		if (result)
			return result;
	}
	return n;
}

/* Returns 0 when the source or the agent is at its end. */
static int run(struct pipeline *pipeline, struct error *err)
{
	int timeout_ms = 0, n, result;

	while (may_go_on(pipeline, timeout_ms != 0)) {
		n = handle_some(pipeline, timeout_ms, err);
		if (n < 0)
			return n == -ENODATA ? 0 : n;
		timeout_ms = n < EVENTS_PER_CHECK ? TICK_MS : 0;
		if (timeout_ms == 0)
			continue;
		/* All was handled, so somebody may be waiting for the last lines. */
		result = output_flush(&pipeline->output, err);
		if (result)
			return result;
		output_check_reader(&pipeline->output);
	}
	return 0;
}

/*
 * The rest of the rings, so that every event that was seen is accounted for. The rest of a file is
 * nothing that happened meanwhile.
 */
static int drain(struct pipeline *pipeline, struct error *err)
{
	struct scap_event raw;
	int result = 0;
	int got = -ENODATA;

	reload_stop(pipeline->reload);
	while (pipeline->capture->live &&
	       (got = scap_source_next(pipeline->source, TICK_MS, &raw)) >= 0) {
		if (got == 1 && result == 0)
			result = handle(pipeline, &raw, err);
		pipeline->ended |= pipeline->output.closed;
	}
	if (result == 0 && got != -ENODATA)
		result = error_set(err, got, "reading events: %s", strerror(-got));
	if (pipeline->record)
		check_record(pipeline, record_close(pipeline->record));
	return result ? result : output_flush(&pipeline->output, err);
}

int pipeline_run(struct capture *capture, struct pipeline_counts *counts, struct error *err)
{
	struct pipeline pipeline = {
		.capture = capture,
		.record = capture->record,
		.begin_ns = clock_ns(CLOCK_MONOTONIC),
	};
	int result, drained;

	*counts = (struct pipeline_counts){0};
	result = reload_create(capture, &pipeline.reload);
	if (result)
		return error_set(err, result, "out of memory");
	pipeline.source = reload_step(pipeline.reload);
	pipeline.stats_due_ns = pipeline.begin_ns + capture->options->stats_ns;
	pipeline.progress_due_ns = pipeline.begin_ns + PROGRESS_NS;
	if (capture->options->duration_ns)
		signals_end_after(capture->options->duration_ns);
	output_init(&pipeline.output, STDOUT_FILENO);
	result = run(&pipeline, err);
	drained = drain(&pipeline, result ? NULL : err);
	reload_destroy(pipeline.reload);
	if (capture->options->progress)
		stats_end_progress(capture);
	*counts = counts_now(&pipeline);
	output_finish(&pipeline.output);
	return result ? result : drained;
}
