/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder of a run: when its events are asked for, and the files that they go to. What
 * keeps them is scap/live/flight.h.
 */
#ifndef AGENT_RUN_FLIGHT_H
#define AGENT_RUN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/source.h"
#include "util/error.h"

struct run;

/* What is longer of the name of a rule is cut. */
enum { FLIGHT_RULE_BYTES = 128 };

/* What rules have to do with a file. */
struct flight_matches {
	char rule[FLIGHT_RULE_BYTES]; /* the name of the one that asks for it; "": none does */
	uint64_t matches; /* of all of them since the last file was asked for */
};

/* Part of `struct run`; zeroed: nothing was asked for. */
struct flight {
	bool is_asked; /* a file is to be written, and somebody waits for the answer */
	bool is_due; /* a file is to be written, as something happened */
	bool answers; /* what is being done was asked for */
	bool gives; /* its events are being returned */
	bool has_begun; /* of the file: it has the state */
	bool fails; /* the file could not be written: its events are let go */
	uint64_t events; /* of all files before this one */
	uint64_t lost; /* events until the last file was asked for */
	struct state *early; /* owned: what rules of --on-rule see; NULL: there are none */
	struct flight_matches next, given; /* of the next file; of the one that is written */
	uint64_t rule_due_ns; /* monotonic: no rule asks for one before */
};

/*
 * Begins to look for matches of --on-rule, if there is any. The input and its state are open.
 * Returns 0, or -errno with a message.
 */
int flight_begin(struct run *run, struct error *err);
void flight_end(struct flight *flight); /* before the input is destroyed */

/*
 * Does what was asked for, if another thing that may be asked for is not under way, and ends a file
 * that is complete. Who asks by the file of --pid-file is
 * answered there, also where there is no flight recorder.
 */
void flight_step(struct run *run, bool may_begin);

/* Begins the file before its first event, which is not applied to the state yet. */
void flight_turn(struct run *run, const struct scap_event *raw);

#endif
