/* SPDX-License-Identifier: MIT */
/* When processes wait, and how long they did. */
#include "agent/input/hold.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/clock.h"

/* Of the fullest ring, in 1/64. Between them are many events: to freeze takes a system call. */
enum { FULL = 16, READ = 4 };

#define SHOWN_NS UINT64_C(1000000)

bool hold_is_wanted(const struct options *options)
{
	return !options->read && (options->command || (options->lossless && options->pids_count));
}

void hold_begin(struct hold *hold, const struct options *options, pid_t command)
{
	const pid_t *pids = command ? &command : options->pids;
	size_t count = command ? 1 : options->pids_count;

	hold->holds = hold_is_wanted(options) &&
		      freezer_begin(&hold->freezer, pids, count, command != 0) == 0;
}

/* Sums up; from the moment on that a program stopped a process, if that was earlier. */
static void count_wait(struct hold *hold, bool waits, uint64_t held_ns)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	if (waits && !hold->since_ns)
		hold->since_ns = held_ns && held_ns < now ? held_ns : now;
	if (waits || !hold->since_ns)
		return;
	hold->waited_ns += now - hold->since_ns;
	hold->since_ns = 0;
}

void hold_step(struct hold *hold, struct input *input)
{
	uint64_t held_ns;
	unsigned int fill;

	if (!hold->holds)
		return;
	fill = input->live->fill(input);
	held_ns = input->live->held_ns(input);
	if (fill >= FULL)
		freezer_set(&hold->freezer, true);
	if (fill >= FULL || held_ns || hold->freezer.frozen)
		count_wait(hold, hold->freezer.frozen || held_ns, held_ns);
	if (fill > READ)
		return;
	freezer_set(&hold->freezer, false);
	if (held_ns)
		input->live->let_go(input);
	count_wait(hold, false, 0);
}

void hold_end(struct hold *hold, struct input *input)
{
	if (!hold->holds)
		return;
	if (input)
		input->live->let_go(input);
	freezer_end(&hold->freezer);
	count_wait(hold, false, 0);
	hold->holds = false;
}

void hold_append_report(const struct hold *hold, const struct options *options, struct buf *text)
{
	if (hold->waited_ns < SHOWN_NS)
		return;
	buf_printf(text, "agent: the %s waited %.3g s for us\n",
		   options->command ? "command" : "processes", (double)hold->waited_ns / 1e9);
}
