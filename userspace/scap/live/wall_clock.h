/* SPDX-License-Identifier: MIT */
/*
 * How far the wall clock was set while a capture runs. Events have the time of the boot clock plus
 * an offset that is fixed when their programs are loaded, so that their order never breaks; the
 * live source adds the step of the moment to each for the time that is shown.
 */
#ifndef SCAP_LIVE_WALL_CLOCK_H
#define SCAP_LIVE_WALL_CLOCK_H

#include <stdint.h>

enum {
	/* What is smaller is taken for an error of reading two clocks one after the other. */
	WALL_STEP_MIN_NS = 100000,
	/* Steps that were seen, while events from before them are still to be given out. */
	WALL_STEPS_MAX = 8,
};

struct wall_step {
	uint64_t from_ns; /* time of the first event that it is for */
	int64_t step_ns; /* from the fixed offset; negative: back */
};

struct wall_clock {
	uint64_t offset_ns; /* the fixed one: epoch minus boot clock */
	int64_t step_ns; /* of the events that are given out now */
	uint64_t next_ns; /* when the first of `steps` begins; UINT64_MAX: there is none */
	struct wall_step steps[WALL_STEPS_MAX]; /* to come, by time */
	uint32_t count;
};

/*
 * The offset in the times of events, and what it is now: not the same when a capture follows another
 * and keeps its times.
 */
void wall_clock_init(struct wall_clock *clock, uint64_t offset_ns, uint64_t offset_now_ns);

/*
 * Takes a reading: at `boot_ns` of the boot clock the offset is `offset_now_ns`. A step is for the
 * events from that moment on. When there are too many to keep, the last one takes the place of the
 * one before.
 */
void wall_clock_read(struct wall_clock *clock, uint64_t boot_ns, uint64_t offset_now_ns);

/* Goes on to the step for an event at that time; times only grow. */
void wall_clock_advance(struct wall_clock *clock, uint64_t ts_ns);

/* What is to be added to the time of an event; to be asked for each, in their order. */
static inline int64_t wall_clock_step(struct wall_clock *clock, uint64_t ts_ns)
{
	if (ts_ns >= clock->next_ns)
		wall_clock_advance(clock, ts_ns);
	return clock->step_ns;
}

#endif
