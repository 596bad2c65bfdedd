/* SPDX-License-Identifier: MIT */
/*
 * Steps of the wall clock during a capture. Events have the time of the boot clock plus an offset
 * that is fixed when their programs are loaded, so that they stay in order; the live source adds to
 * each the step at its time, for the time that is shown.
 */
#ifndef SCAP_LIVE_WALL_CLOCK_H
#define SCAP_LIVE_WALL_CLOCK_H

#include <stdint.h>

enum {
	/* Smaller steps are taken for an error of reading two clocks one after the other. */
	WALL_STEP_MIN_NS = 100000,
	/* Steps that were seen while earlier events were not returned yet. */
	WALL_STEPS_MAX = 8,
};

struct wall_step {
	uint64_t from_ns; /* time of the first event that it is for */
	int64_t step_ns; /* from the fixed offset; negative: back */
};

struct wall_clock {
	uint64_t offset_ns; /* the fixed one: epoch minus boot clock */
	int64_t step_ns; /* of the events that are returned now */
	uint64_t next_ns; /* when the first of `steps` begins; UINT64_MAX: there is none */
	struct wall_step steps[WALL_STEPS_MAX]; /* to come, by time */
	uint32_t count;
	uint64_t follow_ns; /* boot clock: when to read it again */
};

/*
 * Sets the offset in the times of events, and the current one: they differ if a capture follows
 * another and keeps its times.
 */
void wall_clock_init(struct wall_clock *clock, uint64_t offset_ns, uint64_t offset_now_ns);

/*
 * Adds a reading: at `boot_ns` of the boot clock the offset is `offset_now_ns`. A step applies
 * to the events from that time on. If there are too many to keep, it replaces the last one.
 */
void wall_clock_read(struct wall_clock *clock, uint64_t boot_ns, uint64_t offset_now_ns);

/* Reads it at that time of the boot clock, if the last time was a tenth of a second before. */
void wall_clock_follow(struct wall_clock *clock, uint64_t now_ns);

/* Advances to the step for an event at that time; times must not decrease. */
void wall_clock_advance(struct wall_clock *clock, uint64_t ts_ns);

/* The step to add to the time of an event; call it for each event, in time order. */
static inline int64_t wall_clock_step(struct wall_clock *clock, uint64_t ts_ns)
{
	if (ts_ns >= clock->next_ns)
		wall_clock_advance(clock, ts_ns);
	return clock->step_ns;
}

#endif
