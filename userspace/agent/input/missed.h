/* SPDX-License-Identifier: MIT */
/*
 * Processes whose beginning was missed: the kernel's list of threads is read again as long as some
 * begin whose executable is not known. A part at a time, a few times a second at most, every few
 * seconds as long as it does not tell, and only in a small share of the time, whatever they do.
 */
#ifndef AGENT_INPUT_MISSED_H
#define AGENT_INPUT_MISSED_H

#include <stdint.h>

#include "scap/live/live.h"
#include "sinsp/sinsp.h"
#include "util/backoff.h"

/* Zeroed: the list is not being read. */
struct missed {
	struct scap_threads *threads; /* the list; NULL: it is not being read */
	uint64_t spent_ns; /* on it so far */
	struct backoff pause; /* until it may be read again; longer when it told nothing */
	uint64_t learnt; /* programs, until the last time */
};

/*
 * To be called often, between two events. live, proc: what is read. now: monotonic clock. Returns
 * whether the list is not read to its end.
 */
bool missed_step(struct missed *missed, const struct scap_live *live, const struct scap_proc *proc,
		 struct state *state, uint64_t now);

void missed_finish(struct missed *missed);

#endif
