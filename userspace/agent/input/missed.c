/* SPDX-License-Identifier: MIT */
/* When the list of threads is read again, and how much of it at a time. */
#include "agent/input/missed.h"

#include "util/clock.h"

enum {
	THREADS_AT_ONCE = 512, /* some milliseconds */
	SHARE = 20, /* one part of so many of the time */
};

static const struct backoff_limits pauses = {.first_ns = 250000000, .last_ns = 4000000000};

void missed_finish(struct missed *missed)
{
	scap_threads_destroy(missed->threads);
	*missed = (struct missed){0};
}

/*
 * What was noted for processes that come later, counts when it was used. Who forks again and again
 * without an executable in the list, as from one that was removed, has it read ever more rarely.
 */
static void missed_pause(struct missed *missed, const struct state *state, uint64_t now)
{
	uint64_t shared = now + missed->spent_ns * SHARE;
	struct state_stats stats;

	scap_threads_destroy(missed->threads);
	missed->threads = NULL;
	missed->spent_ns = 0;
	state_stats(state, &stats);
	if (stats.programs_learnt != missed->learnt)
		backoff_reset(&missed->pause);
	missed->learnt = stats.programs_learnt;
	backoff_failed_by(&missed->pause, &pauses, now, 0);
	if (missed->pause.next_ns < shared)
		missed->pause.next_ns = shared;
}

static int missed_begin(struct missed *missed, const struct scap_live *live,
			const struct scap_proc *proc)
{
	int fd = scap_live_open_iterator(live, SCAP_LIVE_THREADS);

	return fd < 0 ? fd : scap_threads_create(fd, proc, &missed->threads);
}

bool missed_step(struct missed *missed, const struct scap_live *live, const struct scap_proc *proc,
		 struct state *state, uint64_t now)
{
	int r = 0;

	if (!missed->threads && (!backoff_allows(&missed->pause, now) || !state_take_missed(state)))
		return false;
	if (!missed->threads)
		r = missed_begin(missed, live, proc);
	if (r == 0)
		r = state_learn_programs(state, missed->threads, THREADS_AT_ONCE);
	missed->spent_ns += clock_ns(CLOCK_MONOTONIC) - now;
	if (r <= 0)
		missed_pause(missed, state, now);
	return missed->threads;
}
