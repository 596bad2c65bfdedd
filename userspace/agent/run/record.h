/* SPDX-License-Identifier: MIT */
/*
 * The capture files of a run: that of -w, and those of outputs. They know together of which
 * containers they have yet to be told.
 */
#ifndef AGENT_RUN_RECORD_H
#define AGENT_RUN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/plan/selection.h"
#include "agent/record/captures.h"
#include "agent/record/recording.h"
#include "scap/source.h"
#include "util/error.h"

struct state;
struct state_event;

/* Part of `struct run`; zeroed: nothing is recorded. */
struct run_recorder {
	struct state *state; /* borrowed, as below */
	const struct options *options;
	struct recording_config config;
	bool of_requests[EVENT_ID_MAX]; /* see recording_config */
	struct recording *recording; /* of -w; NULL: nothing was recorded */
	bool is_recording; /* false also after its end */
	bool stopped; /* it ended early: by an error, or since nobody reads it any more */
	bool failed; /* by an error, which was printed */
	struct captures captures; /* the outputs that are captures */
};

/*
 * Begins the recordings that the options request. If the selection has requests, the file of -w has
 * what they are made of. Returns 0 or -errno with a message.
 */
int record_open(struct run_recorder *recorder, const struct options *options,
		const struct selection *selection, struct state *state, struct error *err);

/*
 * Of a recording that waits: begins the next file with the state at a time, and ends it. Return
 * whether it is complete so far: a failure is printed.
 */
bool record_begin_file(struct run_recorder *recorder, uint64_t ns);
bool record_end_file(struct run_recorder *recorder);

/* Whether events are written anywhere: the two functions below are for that alone. */
static inline bool record_has_files(const struct run_recorder *recorder)
{
	return recorder->is_recording || recorder->captures.count;
}

/* Begins other files if it is time, before an event is applied to the state. */
void record_turn(struct run_recorder *recorder, const struct scap_event *raw);

/* Writes an event that was applied. passed: the user asked for it. */
void record_event(struct run_recorder *recorder, const struct scap_event *raw,
		  const struct state_event *event, bool passed);

/* To be called every few events, and while there are none. Messages go to stderr. */
void record_step(struct run_recorder *recorder, uint64_t now_ns, bool idle);

/* Ends all files. */
void record_close(struct run_recorder *recorder);

/* Handles the result of a function of the recording of -w: a failure is printed and ends it. */
void record_take_result(struct run_recorder *recorder, int result);

/* Releases all; nothing more is written. */
void record_finish(struct run_recorder *recorder);

#endif
