/* SPDX-License-Identifier: MIT */
/* Samples of perf events among the events of the programs. Owned by the live source. */
#ifndef SCAP_LIVE_LIVE_SAMPLES_H
#define SCAP_LIVE_LIVE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/live/live_rings.h"
#include "scap/rings/merge.h"
#include "util/error.h"

struct samples;

/* Zeroed: there are none. */
struct live_samples {
	struct samples *samples; /* borrowed; NULL: none */
	struct live_rings *rings; /* borrowed: whose waits they end */
	uint64_t watched; /* samples_opened() when all were watched */
	bool waits; /* the next one, for its symbols */
	uint64_t last_ns; /* of the latest event that was taken */
	uint64_t out_of_order; /* samples that were taken after a later event */
};

/* Lets them end waits for the rings. Returns 0, or -errno with a message. */
int live_samples_open(struct live_samples *samples, struct samples *borrowed,
		      struct live_rings *rings, struct error *err);

/* Others may take them from now on. */
void live_samples_close(struct live_samples *samples);

/* Begins a round of the merge, and loads what is there. now_ns: as of scap_merge_round(). */
void live_samples_round(struct live_samples *samples, struct scap_merge *merge, uint64_t now_ns);

/*
 * Takes the next event of the round: of the programs, or a sample. Returns as scap_merge_next(): 0
 * also while a sample waits for its symbols.
 */
int live_samples_next(struct live_samples *samples, struct scap_merge *merge,
		      struct scap_frame *frame, uint16_t *cpu);

/* Whether none is loaded and not taken yet. */
bool live_samples_are_quiet(const struct live_samples *samples);

/* The last round, after no event is written any more. */
void live_samples_last_round(struct live_samples *samples, struct scap_merge *merge);

/* Behind that, after a 0: whether there will be another one. It waits a moment for it. */
bool live_samples_await(struct live_samples *samples);

#endif
