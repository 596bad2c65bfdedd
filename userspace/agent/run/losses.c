/* SPDX-License-Identifier: MIT */
/* Compares the counters of the input with what was said before. */
#include "agent/run/run.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/clock.h"
#include "util/terminal.h"

#define STEP_NS UINT64_C(1000000000)

/* Fills the gap of a cause; returns whether anything was lost that was asked for. */
static bool find_lost(struct run *run, const struct event_counters *counters, unsigned int cause,
		      struct gap *lost)
{
	uint64_t *said = run->losses.said[cause];

	*lost = (struct gap){0};
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		uint64_t now = counters[id].lost[cause];

		/* Of others, which only update the state, outputs would have got nothing. */
		if (now > said[id] && (run->plan->selection.events[id] & WHY_FILTER))
			lost->types[id] = now - said[id];
		lost->count += lost->types[id];
		said[id] = now;
	}
	return lost->count;
}

static void losses_look(struct run *run)
{
	const struct event_counters *counters;
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct gap lost;

	if (!run->input->live || run->input->live->losses(run->input, &counters))
		return;
	for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++) {
		if (!find_lost(run, counters, cause, &lost))
			continue;
		lost.first_ns = run->losses.before_ns;
		lost.last_ns = now;
		outputs_lose(&run->outputs, gap_cause_of_loss((enum loss_cause)cause), &lost);
	}
	run->losses.before_ns = now;
}

void losses_skip(struct run *run)
{
	const struct event_counters *counters;
	struct gap lost;

	if (!run->input->live || run->input->live->losses(run->input, &counters))
		return;
	for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		find_lost(run, counters, cause, &lost);
	run->losses.before_ns = clock_ns(CLOCK_REALTIME);
}

void losses_step(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->losses.due_ns)
		return;
	run->losses.due_ns = now_ns + STEP_NS;
	losses_look(run);
}

static void say_news(struct run *run)
{
	struct buf text = {0};

	run->input->live->append_news(run->input, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
}

void losses_say_silence(struct run *run, uint64_t now_ns)
{
	uint32_t silent, cpu;

	if (!run->input->live || now_ns < run->losses.silence_due_ns)
		return;
	run->losses.silence_due_ns = now_ns + STEP_NS;
	say_news(run);
	silent = run->input->live->silent(run->input, &cpu);
	if (silent > run->losses.silent)
		fprintf(stderr,
			"agent: programs do not report on CPU %" PRIu32 " (%" PRIu32
			" CPUs in all): events are missing; were programs detached, or maps "
			"changed?\n",
			cpu, silent);
	else if (silent == 0 && run->losses.silent)
		fputs("agent: programs report on all CPUs again\n", stderr);
	run->losses.silent = silent;
}

void losses_end(struct run *run)
{
	if (run->outputs.count && run->input && !hand_over_is_gone(&run->hand_over))
		losses_look(run);
}
