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

static void record_configure(const struct options *options, struct recording_config *config)
{
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
}

int record_open(struct run *run, struct error *err)
{
	int code = 0;

	if (run->options->write) {
		record_configure(run->options, &run->recording_config);
		code = recording_create(&run->recording_config, run->sinsp, &run->recording, err);
		run->is_recording = code == 0;
	}
	if (code)
		return code;
	return captures_open(&run->captures, run->sinsp, run->options->read, record_gives_up, err);
}

void record_take_result(struct run *run, int result)
{
	if (result == 0)
		return;
	run->is_recording = false;
	run->recording_failed = !recording_is_unread(result);
	run->ended |= run->printer.format->silent && !run->outputs.count && !run->captures.count;
	if (run->recording_failed)
		fprintf(stderr, "agent: %s\n", recording_problem(run->recording));
	recording_close(run->recording); /* for the account; its error is already known */
}

/* The result of -w, whose receiver is the first if it records. */
static int take_code(const struct run *run, const struct fan *fan)
{
	return run->is_recording ? fan->codes[0] : 0;
}

/*
 * A file that begins has all that is known of containers, and what became known counts as written:
 * that goes to the other files before.
 */
static void write_changes(struct run *run)
{
	struct fan fan;

	fan_init(&fan);
	if (run->is_recording)
		fan_add(&fan, recording_has_begun(run->recording)
				      ? recording_changes(run->recording, EVENT_NONE, false)
				      : NULL);
	captures_changes_alone(&run->captures, &fan);
	sinsp_dump_changed(run->sinsp, &fan.snapshot);
	record_take_result(run, take_code(run, &fan));
}

void record_turn(struct run *run, const struct scap_event *raw)
{
	bool is_due = run->is_recording && recording_is_due(run->recording, raw);

	if (!is_due && !captures_are_due(&run->captures, raw))
		return;
	write_changes(run);
	if (is_due && run->is_recording)
		record_take_result(run, recording_turn(run->recording, raw));
	captures_turn(&run->captures, raw);
}

void record_event(struct run *run, const struct scap_event *raw, const struct sinsp_event *event,
		  bool passed)
{
	unsigned int id = event->ev.desc->id;
	bool is_recording = run->is_recording;
	struct fan fan;
	int code;

	if (!is_recording && !run->captures.count)
		return;
	fan_init(&fan);
	if (is_recording)
		fan_add(&fan, recording_changes(run->recording, id, passed));
	captures_changes(&run->captures, event, passed, &fan);
	sinsp_dump_changed(run->sinsp, &fan.snapshot);
	captures_event(&run->captures, raw, id, fan.codes + is_recording);
	if (!is_recording)
		return;
	code = take_code(run, &fan);
	record_take_result(run, code ? code : recording_event(run->recording, raw, id, passed));
}

void record_step(struct run *run, uint64_t now_ns, bool idle)
{
	struct buf messages = {0};

	if (run->is_recording)
		record_take_result(run, recording_flush(run->recording, now_ns, idle));
	if (!run->captures.count)
		return;
	/* A machine has a state without events; a file that is read has it with its first one. */
	if (!run->options->read && captures_are_due(&run->captures, NULL)) {
		write_changes(run);
		captures_turn(&run->captures, NULL);
	}
	captures_step(&run->captures, now_ns, idle, &messages);
	terminal_print(stderr, &messages);
	buf_finish(&messages);
}

void record_close(struct run *run)
{
	if (run->is_recording)
		record_take_result(run, recording_close(run->recording));
	captures_close(&run->captures);
}
