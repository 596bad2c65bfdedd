/* SPDX-License-Identifier: MIT */
/* Tells outputs what the capture lost, for their drop records, and people that CPUs are silent. */
#ifndef AGENT_RUN_LOSSES_H
#define AGENT_RUN_LOSSES_H

#include <stdint.h>

#include "abi.h"
#include "agent/plan/selection.h"
#include "agent/input/input.h"
#include "output/delivery/outputs.h"

/* Part of `struct run`; zeroed: nothing was said yet. */
struct losses {
	uint64_t said[LOSS_CAUSES_COUNT][EVENT_ID_MAX]; /* how many, so far */
	uint64_t due_ns; /* monotonic: when to look again */
	uint64_t before_ns; /* since the epoch: when it was looked before */
	uint64_t silence_due_ns; /* monotonic: when to look for silent CPUs again */
	uint32_t silent; /* how many there were then */
};

/*
 * Looks for losses if that is due, once a second: outputs are told those of events that were asked
 * for. To be called between two events. now_ns: monotonic clock.
 */
void losses_step(struct losses *losses, struct input *input, const struct selection *selection,
		 struct outputs *outputs, uint64_t now_ns);

/* Says on stderr that CPUs fall silent, and that none is any more; looks once a second, too. */
void losses_say_silence(struct losses *losses, struct input *input, uint64_t now_ns);

/* What was lost so far is not said: it is another agent's. */
void losses_skip(struct losses *losses, struct input *input);

/* Looks at once: the capture ends, or another agent has it from here on. input: NULL: none. */
void losses_end(struct losses *losses, struct input *input, const struct selection *selection,
		struct outputs *outputs);

#endif
