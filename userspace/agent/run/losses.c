/* SPDX-License-Identifier: MIT */
/* Compares the counters of the input with what was said before. */
#include "agent/run/losses.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/clock.h"
#include "util/terminal.h"

#define STEP_NS UINT64_C(1000000000)

/* Fills the gap of a cause; returns whether anything was lost that was asked for. */
static bool find_lost(struct losses *losses, const struct selection *selection,
		      const struct event_counters *counters, unsigned int cause, struct gap *lost)
{
	uint64_t *said = losses->said[cause];

	*lost = (struct gap){0};
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		uint64_t now = counters[id].lost[cause];

		/* Of others, which only update the state, outputs would have got nothing. */
		if (now > said[id] && (selection->events[id] & WHY_ASKED))
			lost->types[id] = now - said[id];
		lost->count += lost->types[id];
		said[id] = now;
	}
	return lost->count;
}

static void losses_look(struct losses *losses, struct input *input,
			const struct selection *selection, struct outputs *outputs)
{
	const struct event_counters *counters;
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct gap lost;

	if (!input->live || input->live->losses(input, &counters))
		return;
	for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++) {
		if (!find_lost(losses, selection, counters, cause, &lost))
			continue;
		lost.first_ns = losses->before_ns;
		lost.last_ns = now;
		outputs_lose(outputs, gap_cause_of_loss((enum loss_cause)cause), &lost);
	}
	losses->before_ns = now;
}

void losses_skip(struct losses *losses, struct input *input)
{
	const struct event_counters *counters;

	if (!input->live || input->live->losses(input, &counters))
		return;
	for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
			losses->said[cause][id] = counters[id].lost[cause];
	losses->before_ns = clock_ns(CLOCK_REALTIME);
}

void losses_step(struct losses *losses, struct input *input, const struct selection *selection,
		 struct outputs *outputs, uint64_t now_ns)
{
	if (now_ns < losses->due_ns)
		return;
	losses->due_ns = now_ns + STEP_NS;
	losses_look(losses, input, selection, outputs);
}

static void say_messages(struct input *input)
{
	struct buf text = {0};

	input->live->append_messages(input, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
}

void losses_say_silence(struct losses *losses, struct input *input, uint64_t now_ns)
{
	uint32_t silent, cpu;

	if (!input->live || now_ns < losses->silence_due_ns)
		return;
	losses->silence_due_ns = now_ns + STEP_NS;
	say_messages(input);
	silent = input->live->silent(input, &cpu);
	if (silent > losses->silent)
		fprintf(stderr,
			"agent: programs do not report on CPU %" PRIu32 " (%" PRIu32
			" CPUs in all): events are missing; were programs detached, or maps "
			"changed?\n",
			cpu, silent);
	else if (silent == 0 && losses->silent)
		fputs("agent: programs report on all CPUs again\n", stderr);
	losses->silent = silent;
}

void losses_end(struct losses *losses, struct input *input, const struct selection *selection,
		struct outputs *outputs)
{
	if (outputs->count && input)
		losses_look(losses, input, selection, outputs);
}
