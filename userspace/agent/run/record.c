/* SPDX-License-Identifier: MIT */
/* Per event: no allocation, no system call of its own. */
#include "agent/run/record.h"

#include <stdio.h>

#include "agent/process/signals.h"
#include "sinsp/sinsp.h"
#include "util/terminal.h"

/* Whether to stop waiting for a reader that does not read. */
static bool record_gives_up(void)
{
	return signals_count() > 1;
}

static void record_configure(struct run_recorder *recorder, const struct selection *selection)
{
	const struct options *options = recorder->options;
	struct recording_config *config = &recorder->config;

	*config = (struct recording_config){
		.path = options->write,
		.read = options->read,
		.limits = options->limits,
		.writer = options->writer,
		.mode = RECORDING_MODE,
		.fat = options->fat,
		.container_env = options->container_env,
		.copies = options->read && !options->filter && !options->rules_count,
	};
	config->writer.give_up = record_gives_up;
	if (options_record_flight(options))
		config->waits = config->rotates = true;
	if (!(selection->events[EVENT_request] & WHY_FILTER))
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		recorder->of_requests[id] = selection_is_of_streams(id);
	config->of_requests = recorder->of_requests;
}

int record_open(struct run_recorder *recorder, const struct options *options,
		const struct selection *selection, struct state *state, struct error *err)
{
	int r = 0;

	recorder->options = options;
	recorder->state = state;
	if (options->write) {
		record_configure(recorder, selection);
		r = recording_create(&recorder->config, state, &recorder->recording, err);
		recorder->is_recording = r == 0 && !recorder->config.waits;
	}
	if (r)
		return r;
	return captures_open(&recorder->captures, state, options->read, record_gives_up, err);
}

void record_take_result(struct run_recorder *recorder, int result)
{
	if (result == 0)
		return;
	recorder->is_recording = false;
	recorder->stopped = !recorder->config.waits;
	recorder->failed |= !recording_is_unread(result);
	if (!recording_is_unread(result))
		fprintf(stderr, "agent: %s\n", recording_problem(recorder->recording));
	recording_close(recorder->recording); /* for the account; its error is already known */
}

bool record_begin_file(struct run_recorder *recorder, uint64_t ns)
{
	int r = recording_open(recorder->recording);

	recorder->is_recording = true;
	if (r == 0)
		r = recording_begin(recorder->recording, ns);
	record_take_result(recorder, r);
	return r == 0;
}

bool record_end_file(struct run_recorder *recorder)
{
	if (!recorder->is_recording)
		return false;
	record_take_result(recorder, recording_close(recorder->recording));
	if (!recorder->is_recording)
		return false;
	recorder->is_recording = false;
	return true;
}

/* The result of -w, whose receiver is the first if it records. */
static int take_code(const struct run_recorder *recorder, const struct record_tee *tee)
{
	return recorder->is_recording ? tee->codes[0] : 0;
}

/*
 * A file that begins has all that is known of containers, and what became known counts as written:
 * that goes to the other files before.
 */
static void write_changes(struct run_recorder *recorder)
{
	struct record_tee tee;

	record_tee_init(&tee);
	if (recorder->is_recording)
		record_tee_add(&tee,
			       recording_has_begun(recorder->recording)
				       ? recording_changes(recorder->recording, EVENT_NONE, false)
				       : NULL);
	captures_changes_alone(&recorder->captures, &tee);
	state_dump_changed(recorder->state, &tee.snapshot);
	record_take_result(recorder, take_code(recorder, &tee));
}

void record_turn(struct run_recorder *recorder, const struct scap_event *raw)
{
	bool is_due = recorder->is_recording && recording_is_due(recorder->recording, raw);

	if (!is_due && !captures_are_due(&recorder->captures, raw))
		return;
	write_changes(recorder);
	if (is_due && recorder->is_recording)
		record_take_result(recorder, recording_turn(recorder->recording, raw));
	captures_turn(&recorder->captures, raw);
}

void record_event(struct run_recorder *recorder, const struct scap_event *raw,
		  const struct state_event *event, bool passed)
{
	unsigned int id = event->ev.desc->id;
	bool is_recording = recorder->is_recording;
	struct record_tee tee;
	int r;

	record_tee_init(&tee);
	if (is_recording)
		record_tee_add(&tee, recording_changes(recorder->recording, id, passed));
	captures_changes(&recorder->captures, event, passed, &tee);
	state_dump_changed(recorder->state, &tee.snapshot);
	captures_event(&recorder->captures, raw, id, tee.codes + is_recording);
	if (!is_recording)
		return;
	r = take_code(recorder, &tee);
	record_take_result(recorder, r ? r : recording_event(recorder->recording, raw, id, passed));
}

void record_step(struct run_recorder *recorder, uint64_t now_ns, bool idle)
{
	struct buf messages = {0};

	if (recorder->is_recording)
		record_take_result(recorder, recording_flush(recorder->recording, now_ns, idle));
	if (!recorder->captures.count)
		return;
	/* A machine has a state without events; a file that is read has it with its first one. */
	if (!recorder->options->read && captures_are_due(&recorder->captures, NULL)) {
		write_changes(recorder);
		captures_turn(&recorder->captures, NULL);
	}
	captures_step(&recorder->captures, now_ns, idle, &messages);
	terminal_print(stderr, &messages);
	buf_finish(&messages);
}

void record_close(struct run_recorder *recorder)
{
	if (recorder->is_recording)
		record_take_result(recorder, recording_close(recorder->recording));
	captures_close(&recorder->captures);
}

void record_finish(struct run_recorder *recorder)
{
	captures_finish(&recorder->captures);
	recording_destroy(recorder->recording);
	recorder->recording = NULL;
}
