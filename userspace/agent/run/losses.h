/* SPDX-License-Identifier: MIT */
/* Tells outputs what the capture lost, for their drop records, and people that CPUs are silent. */
#ifndef AGENT_RUN_LOSSES_H
#define AGENT_RUN_LOSSES_H

#include <stdint.h>

#include "abi.h"

struct run;

/* Part of `struct run`; zeroed: nothing was said yet. */
struct losses {
	uint64_t said[LOSS_CAUSES_COUNT][EVENT_ID_MAX]; /* how many, so far */
	uint64_t due_ns; /* monotonic: when to look again */
	uint64_t before_ns; /* since the epoch: when it was looked before */
	uint64_t silence_due_ns; /* monotonic: when to look for silent CPUs again */
	uint32_t silent; /* how many there were then */
};

/* Looks for losses if that is due, once a second. To be called between two events. */
void losses_step(struct run *run, uint64_t now_ns);

/* Says that CPUs fall silent, and that none is any more; as losses_step(). */
void losses_say_silence(struct run *run, uint64_t now_ns);

/* What was lost so far is not said: it is another agent's. */
void losses_skip(struct run *run);

/*
 * Looks for the last time: the capture ends. What is lost after another agent took over is not
 * said: that one has it.
 */
void losses_end(struct run *run);

#endif
