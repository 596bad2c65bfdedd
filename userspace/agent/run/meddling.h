/* SPDX-License-Identifier: MIT */
/* Calls of others that change the programs or maps of the capture: counted, and said. */
#ifndef AGENT_RUN_MEDDLING_H
#define AGENT_RUN_MEDDLING_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/live.h"

struct sinsp_event;

struct meddling {
	uint64_t calls; /* so far, those that the kernel refused included */
	uint64_t said_ns; /* monotonic clock: when it was said last; at most once a second */
};

/* Whether a bpf event is such a call. The agent's own calls are not captured. */
bool meddling_is(const struct scap_live *live, const struct sinsp_event *event);

/* Counts it. */
void meddling_note(struct meddling *meddling, const struct sinsp_event *event);

#endif
