/* SPDX-License-Identifier: MIT */
/* Processing of each event: no allocation, no system call of its own. */
#include "agent/run/handle.h"

#include <stdio.h>

#include "agent/run/containers.h"
#include "agent/record/recording.h"
#include "agent/run/summary.h"
#include "sinsp/sinsp.h"

/* Counts an event that passed the filter or a rule. */
static void count_match(struct run *run)
{
	run->matched++;
	run->ended = run->matched == run->options->count;
}

static int end_line(struct run *run, struct error *err)
{
	run->formatted++;
	output_end_line(&run->output);
	return output_flush_if_full(&run->output, err);
}

/* Prints a line for the first matching rule, or for each. */
static int show_rules(struct run *run, const struct sinsp_event *event, bool *passed,
		      struct error *err)
{
	struct ruleset *ruleset = run->plan->ruleset;
	const struct printer *printer = &run->printer;
	int result = 0;

	for (size_t rule = 0; !run->ended && result == 0; rule++) {
		rule = ruleset_next(ruleset, event, rule);
		if (rule == FILTER_NONE)
			break;
		*passed = true;
		count_match(run);
		if (!printer->format->silent) {
			ruleset_append(ruleset, rule, event, printer->formatter, &run->output.buf);
			result = end_line(run, err);
		}
		if (!run->options->all_rules)
			break;
	}
	return result;
}

/* Checks whether an event passes, and prints it. */
static int show(struct run *run, const struct sinsp_event *event, bool *passed, struct error *err)
{
	const struct plan *plan = run->plan;

	if (plan->ruleset)
		return show_rules(run, event, passed, err);
	if (plan->filter && !filter_match(plan->filter, event))
		return 0;
	*passed = true;
	count_match(run);
	if (!run->printer.formatter)
		return 0;
	if (!formatter_write(run->printer.formatter, event, &run->output.buf))
		return 0;
	return end_line(run, err);
}

/* Events that only update the state were not requested. */
static bool is_asked_for(const struct run *run, const struct scap_event *raw,
			 const struct sinsp_event *event)
{
	if (run->follow.count && !(event->thread && event->thread->followed))
		return false;
	return !raw->hidden && (run->plan->selection.events[event->ev.desc->id] & WHY_FILTER);
}

void handle_recording_result(struct run *run, int result)
{
	if (result == 0)
		return;
	run->is_recording = false;
	run->recording_failed = !recording_is_unread(result);
	run->ended |= run->printer.format->silent;
	if (run->recording_failed)
		fprintf(stderr, "agent: %s\n", recording_problem(run->recording));
	recording_close(run->recording); /* for the account; its error is already known */
}

int handle_event(struct run *run, const struct scap_event *raw, struct error *err)
{
	struct sinsp_event event;
	bool passed = false;
	int result = 0;

	if (run->ended)
		return 0;
	if (run->is_recording)
		handle_recording_result(run, recording_turn(run->recording, raw));
	if (run->containers)
		containers_apply(run->containers);
	/* sinsp_process() counts invalid frames. */
	if (sinsp_process(run->sinsp, raw, &event))
		return 0;
	if (run->containers)
		containers_follow(run->containers);
	if (is_asked_for(run, raw, &event))
		result = show(run, &event, &passed, err);
	if (passed && run->summary)
		summary_count(run->summary, &event);
	if (run->is_recording)
		handle_recording_result(
			run, recording_event(run->recording, raw, event.ev.desc->id, passed));
	return result;
}
