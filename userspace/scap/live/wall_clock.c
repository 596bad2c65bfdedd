/* SPDX-License-Identifier: MIT */
/* Applies steps of the wall clock in the order of events. */
#include "scap/live/wall_clock.h"

#include <string.h>

#include "util/clock.h"

void wall_clock_init(struct wall_clock *clock, uint64_t offset_ns, uint64_t offset_now_ns)
{
	*clock = (struct wall_clock){.offset_ns = offset_ns, .next_ns = UINT64_MAX};
	wall_clock_read(clock, 0, offset_now_ns);
	wall_clock_advance(clock, offset_ns);
}

/* The step that the latest events will have. */
static int64_t last_step(const struct wall_clock *clock)
{
	return clock->count ? clock->steps[clock->count - 1].step_ns : clock->step_ns;
}

void wall_clock_read(struct wall_clock *clock, uint64_t boot_ns, uint64_t offset_now_ns)
{
	int64_t step = (int64_t)(offset_now_ns - clock->offset_ns);
	int64_t change = step - last_step(clock);

	if (change < WALL_STEP_MIN_NS && change > -WALL_STEP_MIN_NS)
		return;
	if (clock->count < WALL_STEPS_MAX)
		clock->steps[clock->count++].from_ns = boot_ns + clock->offset_ns;
	clock->steps[clock->count - 1].step_ns = step;
	clock->next_ns = clock->steps[0].from_ns;
}

void wall_clock_follow(struct wall_clock *clock, uint64_t now_ns)
{
	enum { READ_EACH_NS = 100000000 };

	if (now_ns < clock->follow_ns)
		return;
	clock->follow_ns = now_ns + READ_EACH_NS;
	wall_clock_read(clock, now_ns, clock_boot_offset_ns());
}

void wall_clock_advance(struct wall_clock *clock, uint64_t ts_ns)
{
	uint32_t done = 0;

	while (done < clock->count && clock->steps[done].from_ns <= ts_ns)
		clock->step_ns = clock->steps[done++].step_ns;
	clock->count -= done;
	memmove(clock->steps, clock->steps + done, clock->count * sizeof(*clock->steps));
	clock->next_ns = clock->count ? clock->steps[0].from_ns : UINT64_MAX;
}
