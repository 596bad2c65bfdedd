/* SPDX-License-Identifier: MIT */
#include "quiet_input.h"

#include <errno.h>
#include <time.h>

#include "util/clock.h"

enum { NS_PER_MS = 1000000 };

static struct quiet_input *of(struct input *input)
{
	return (struct quiet_input *)input;
}

static int source_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	const struct timespec wait = {.tv_nsec = (long)timeout_ms * NS_PER_MS};

	nanosleep(&wait, NULL);
	return 0;
}

static void source_destroy(struct scap_source *source)
{
}

static uint64_t source_settled(const struct scap_source *source)
{
	return clock_ns(CLOCK_BOOTTIME);
}

static const struct scap_source_ops source_ops = {
	.next = source_next, .destroy = source_destroy, .settled = source_settled};

static struct scap_source *step(struct input *input)
{
	struct quiet_input *quiet = of(input);

	if (boundary_source(&quiet->boundary))
		input->changing = boundary_step(&quiet->boundary);
	return boundary_source(&quiet->boundary) ? boundary_source(&quiet->boundary)
						 : &quiet->source;
}

static struct boundary *get_boundary(struct input *input)
{
	return of(input)->busy ? NULL : &of(input)->boundary;
}

static int totals(struct input *input, struct input_totals *totals)
{
	*totals = (struct input_totals){.seen = 10, .delivered = 7, .lost = 2, .corrupt = 1};
	return 0;
}

static int losses(struct input *input, const struct event_counters **counters)
{
	return -ENODATA;
}

static const struct input_ops ops = {.step = step};
static const struct input_live_ops live_ops = {.boundary = get_boundary, .totals = totals, .losses = losses};

void quiet_input_init(struct quiet_input *quiet)
{
	*quiet = (struct quiet_input){.input = {.ops = &ops, .live = &live_ops}, .source.ops = &source_ops};
	quiet->boundary.inner = &quiet->source;
}

void quiet_input_finish(struct quiet_input *quiet)
{
	boundary_finish(&quiet->boundary);
}
