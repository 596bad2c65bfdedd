/* SPDX-License-Identifier: MIT */
/*
 * From a request to a complete file. Between them events go the way of all others, a few at a time,
 * so that whatever else the agent does goes on.
 *
 * The state at the head of the file: of threads it is that of the first event, since the events
 * that change them were applied up to there, and no further. Descriptors are read when the file
 * begins, as they are then.
 */
#include "agent/run/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/process/signals.h"
#include "agent/run/run.h"
#include "scap/live/flight.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/terminal.h"

static struct scap_flight *flight_recorder(const struct run *run)
{
	return run->input->live ? run->input->live->flight(run->input) : NULL;
}

/* Why there are no earlier events in the file. */
static const char *limit_text(const struct run *run, enum scap_flight_limit limit)
{
	switch (limit) {
	case FLIGHT_LIMIT_START:
		return ": all since the capture began";
	case FLIGHT_LIMIT_BEFORE:
		return ": all since the last file";
	case FLIGHT_LIMIT_RINGS:
		return run->options->flight_ns ? ": earlier ones are overwritten; with a larger "
						 "--ring-memory it has more"
					       : ": earlier ones are overwritten";
	case FLIGHT_LIMIT_WAITING:
		return ": earlier ones had to make room for those of processes";
	case FLIGHT_LIMIT_WINDOW:
		break;
	}
	return "";
}

/* In whole lines, as what is appended below. */
static void append_missing(const struct scap_flight_given *given, struct buf *said)
{
	if (given->busy_slots)
		buf_printf(said,
			   "agent: flight recorder: %" PRIu32 " programs were stopped while they "
			   "wrote an event: what waited with it is missing, up to %d events each\n",
			   given->busy_slots, BATCH_EVENTS_MAX);
	if (given->corrupt)
		buf_printf(said,
			   "agent: flight recorder: %" PRIu64 " rings are corrupt: what they had "
			   "before that is missing\n",
			   given->corrupt);
}

/* Those that change what is known of threads, or did not get into any ring. */
static void append_lost(struct run *run, struct buf *said)
{
	struct input_totals totals;

	if (run->input->live->totals(run->input, &totals) != 0)
		return;
	if (totals.lost > run->flight.lost)
		buf_printf(said,
			   "agent: flight recorder: %" PRIu64 " events were lost before they were "
			   "asked for: what the file says of threads may be wrong\n",
			   totals.lost - run->flight.lost);
	run->flight.lost = totals.lost;
}

static void append_file(struct run *run, const struct scap_flight_given *given, struct buf *said)
{
	struct recording_stats stats;

	recording_stats(run->recorder.recording, &stats);
	buf_printf(said, "agent: flight recorder: wrote %" PRIu64 " events of %.3f s to %s%s\n",
		   stats.events - run->flight.events,
		   (double)(given->until_ns - given->since_ns) / 1e9, stats.name,
		   limit_text(run, given->limit));
	if (run->flight.given.rule[0])
		buf_printf(said,
			   "agent: flight recorder: as the rule '%s' matched; matches since the "
			   "last file: %" PRIu64 "\n",
			   run->flight.given.rule, run->flight.given.matches);
	append_missing(given, said);
	append_lost(run, said);
}

/* Says what came of a request, to who asked, too. */
static void flight_answer(struct run *run, bool succeeded, struct buf *said)
{
	if (run->flight.answers)
		pid_file_end_reload(&run->pid_file, succeeded, said);
	terminal_print(stderr, said);
	buf_finish(said);
}

static void begin_file(struct run *run, uint64_t ns)
{
	struct flight *flight = &run->flight;

	flight->has_begun = true;
	run->input->live->keep_descriptors(run->input, run->state, true);
	flight->fails = !record_begin_file(&run->recorder, ns);
}

void flight_turn(struct run *run, const struct scap_event *raw)
{
	struct scap_flight_given given;
	struct ppm_evt_hdr header;

	if (!run->flight.gives || run->flight.has_begun || raw->len < sizeof(header))
		return;
	memcpy(&header, raw->frame, sizeof(header));
	scap_flight_given(flight_recorder(run), &given);
	if (header.ts > given.since_ns)
		begin_file(run, header.ts);
}

/* All events were returned. Without any, the file has the state alone. */
static void end_file(struct run *run, struct scap_flight *recorder)
{
	struct flight *flight = &run->flight;
	struct scap_flight_given given;
	struct recording_stats stats;
	struct buf said = {0};
	bool succeeded;

	scap_flight_given(recorder, &given);
	if (!flight->has_begun)
		begin_file(run, given.until_ns);
	succeeded = record_end_file(&run->recorder) && !flight->fails;
	if (succeeded)
		append_file(run, &given, &said);
	else
		buf_printf(&said, "agent: flight recorder: no file: %s\n",
			   recording_problem(run->recorder.recording));
	recording_stats(run->recorder.recording, &stats);
	run->input->live->keep_descriptors(run->input, run->state, false);
	flight->gives = flight->has_begun = flight->fails = false;
	flight->events = stats.events;
	flight_answer(run, succeeded, &said);
}

static void begin_giving(struct run *run, struct scap_flight *recorder)
{
	int r = recorder ? scap_flight_give(recorder) : -ENOSYS;
	struct buf said = {0};

	run->flight.answers = run->flight.is_asked;
	if (run->flight.answers)
		pid_file_begin_reload(&run->pid_file);
	run->flight.is_asked = run->flight.is_due = false;
	run->flight.gives = r == 0;
	run->flight.given = run->flight.next;
	run->flight.next = (struct flight_matches){.matches = 0};
	if (r == 0)
		return;
	buf_printf(&said, "agent: no file is written: %s\n",
		   recorder ? strerror(-r) : "there is no --flight-recorder");
	flight_answer(run, false, &said);
}

/* Whose rules match all the time do not decide how much is written. */
#define RULES_APART_NS UINT64_C(60000000000)

/*
 * Judges an event when it is read, by a state of its own: the other one is as old as the events
 * that are still kept.
 */
static void flight_heard(void *context, const struct scap_event *raw)
{
	struct run *run = context;
	struct flight *flight = &run->flight;
	struct ruleset *rules = run->plan->triggers;
	struct state_event event;
	uint64_t now, matches;
	size_t rule;

	if (state_process(flight->early, raw, &event) || raw->hidden ||
	    !(run->plan->trigger_selection.events[event.ev.desc->id] & WHY_FILTER))
		return;
	if (run->processes.follow.count && !(event.thread && event.thread->followed))
		return;
	rule = ruleset_next(rules, &event, 0);
	if (rule == FILTER_NONE)
		return;
	flight->next.matches++;
	now = clock_ns(CLOCK_MONOTONIC);
	if (flight->is_due || now < flight->rule_due_ns)
		return;
	flight->rule_due_ns = now + RULES_APART_NS;
	snprintf(flight->next.rule, sizeof(flight->next.rule), "%s",
		 ruleset_matches(rules, rule, &matches));
	flight->is_due = true;
}

int flight_begin(struct run *run, struct error *err)
{
	struct scap_flight *recorder = flight_recorder(run);
	int r;

	if (!recorder || !run->plan->triggers)
		return 0;
	r = run->input->live->create_early_state(run->input, &run->processes.follow,
						 selection_lacks(&run->plan->trigger_selection),
						 &run->flight.early, err);
	if (r == 0)
		scap_flight_listen(recorder, flight_heard, run);
	return r;
}

void flight_end(struct flight *flight)
{
	state_destroy(flight->early);
	flight->early = NULL;
}

void flight_step(struct run *run, bool may_begin)
{
	struct scap_flight *recorder = flight_recorder(run);
	struct flight *flight = &run->flight;

	flight->is_asked |= signals_take_dump();
	if (recorder && run->options->flight_on_crash)
		flight->is_due |= scap_flight_take_crashed(recorder);
	if (flight->gives && !scap_flight_gives(recorder))
		end_file(run, recorder);
	if ((flight->is_asked || flight->is_due) && !flight->gives && may_begin)
		begin_giving(run, recorder);
}
