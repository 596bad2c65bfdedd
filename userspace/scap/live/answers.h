/* SPDX-License-Identifier: MIT */
/*
 * Calls that are answered in place of the kernel, by a seccomp filter or a tracer: the programs
 * that tell them apart are attached only while such calls are made (driver/bpf/core/answers.bpf.h).
 * Used by live.c; load.c has the filters scanned that are there at the start.
 */
#ifndef SCAP_LIVE_ANSWERS_H
#define SCAP_LIVE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/loaded.h"

struct live_object;

struct live_answers {
	struct live_loaded *loaded; /* borrowed */
	struct answers_state *state; /* mapped; NULL: there is none */
	uint32_t epoch; /* the last one */
	bool attached;
	int error; /* the programs could not be attached, which is not tried again: -errno */
};

/* Scans the filters of all threads. Returns 0, or -errno: results of some are not judged then. */
int live_answers_scan(const struct live_object *object);

/* Zeroed before; `loaded` outlives it. Without such a map nothing is followed. */
void live_answers_open(struct live_answers *answers, struct live_loaded *loaded);

/*
 * Attaches the programs if there is something that can answer calls, and detaches them when none of
 * its threads made a call for a while. A few ns if nothing changes. `now_ns`: boot clock.
 */
void live_answers_follow(struct live_answers *answers, uint64_t now_ns);

/* Before `loaded` is finished. */
void live_answers_close(struct live_answers *answers);

#endif
