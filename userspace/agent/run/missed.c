/* SPDX-License-Identifier: MIT */
/* When the list of threads is read again, and how much of it at a time. */
#include "agent/run/missed.h"

#include "util/clock.h"

enum {
	THREADS_AT_ONCE = 512, /* some milliseconds */
	PAUSE_NS = 250000000,
	SHARE = 20, /* one part of so many of the time */
};

void missed_finish(struct missed *missed)
{
	scap_threads_destroy(missed->threads);
	*missed = (struct missed){0};
}

static void missed_pause(struct missed *missed, uint64_t now)
{
	uint64_t pause = missed->spent_ns * SHARE;

	missed_finish(missed);
	missed->due_ns = now + (pause > PAUSE_NS ? pause : PAUSE_NS);
}

static int missed_begin(struct missed *missed, const struct scap_live *live,
			const struct scap_proc *proc)
{
	int fd = scap_live_open_iterator(live, SCAP_LIVE_THREADS);

	return fd < 0 ? fd : scap_threads_create(fd, proc, &missed->threads);
}

void missed_step(struct missed *missed, const struct scap_live *live, const struct scap_proc *proc,
		 struct sinsp *sinsp, uint64_t now)
{
	int r = 0;

	if (!missed->threads && (now < missed->due_ns || !sinsp_take_missed(sinsp)))
		return;
	if (!missed->threads)
		r = missed_begin(missed, live, proc);
	if (r == 0)
		r = sinsp_learn_programs(sinsp, missed->threads, THREADS_AT_ONCE);
	missed->spent_ns += clock_ns(CLOCK_MONOTONIC) - now;
	if (r <= 0)
		missed_pause(missed, now);
}
