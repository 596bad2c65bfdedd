/* SPDX-License-Identifier: MIT */
/* Whichever is earlier comes first: the next event of the merge, or the next sample. */
#include "scap/live/live_samples.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "scap/samples/samples.h"
#include "util/clock.h"

enum { MOMENT_NS = 1000000 }; /* between two looks for the last symbols */

/* Also those of CPUs that came. */
static int watch_all(struct live_samples *samples)
{
	size_t count = samples_fds(samples->samples);

	samples->watched = samples_opened(samples->samples);
	for (size_t i = 0; i < count; i++) {
		int fd = samples_fd(samples->samples, i),
		    r = fd < 0 ? 0 : live_rings_watch(samples->rings, fd);

		if (r && r != -EEXIST)
			return r;
	}
	return 0;
}

int live_samples_open(struct live_samples *samples, struct samples *borrowed,
		      struct live_rings *rings, struct error *err)
{
	int r = 0;

	samples->samples = borrowed;
	if (!borrowed)
		return 0;
	samples->rings = rings;
	samples_set_offset(borrowed, rings->boot_offset_ns);
	r = watch_all(samples);
	return r ? error_set(err, r, "waiting for samples: %s", strerror(-r)) : 0;
}

void live_samples_close(struct live_samples *samples)
{
	if (samples->samples)
		samples_pass_on(samples->samples, samples);
	samples->samples = NULL;
}

/* Another capture that has the same samples may not have ended yet. */
static bool is_taker(const struct live_samples *samples)
{
	return samples->samples && samples_claim(samples->samples, samples);
}

/* So that samples are in their rings, the events of the programs wait for them. */
void live_samples_round(struct live_samples *samples, struct scap_merge *merge, uint64_t now_ns)
{
	scap_merge_round(merge, samples->samples ? now_ns - SAMPLES_LAG_NS : now_ns);
	if (!is_taker(samples))
		return;
	samples_round(samples->samples);
	/* One that is not watched is looked at all the same. */
	if (samples->watched != samples_opened(samples->samples))
		(void)watch_all(samples);
}

/* Returns 1; 0: what the programs wrote is earlier; -EAGAIN: a sample is, but it waits. */
static int take_sample(struct live_samples *samples, struct scap_merge *merge,
		       struct scap_frame *frame, uint16_t *cpu)
{
	uint64_t ts, before_ns;
	int r;

	/* It is looked at when it is the next event: then its symbols are looked up once. */
	if (!scap_merge_peek(merge, &before_ns))
		before_ns = scap_merge_cutoff(merge);
	r = samples_peek(samples->samples, before_ns, &ts);
	samples->waits = r == -EAGAIN;
	if (r == 1) {
		samples->out_of_order += ts < samples->last_ns;
		frame->ts = ts;
		frame->type = samples_take(samples->samples, &frame->bytes, &frame->len, cpu);
	}
	return r;
}

int live_samples_next(struct live_samples *samples, struct scap_merge *merge,
		      struct scap_frame *frame, uint16_t *cpu)
{
	int r = is_taker(samples) ? take_sample(samples, merge, frame, cpu) : 0;

	r = r ? r > 0 : scap_merge_next(merge, frame, cpu);
	if (r && frame->ts > samples->last_ns)
		samples->last_ns = frame->ts;
	return r;
}

bool live_samples_are_quiet(const struct live_samples *samples)
{
	return !samples->samples || samples_are_taken(samples->samples);
}

void live_samples_last_round(struct live_samples *samples, struct scap_merge *merge)
{
	scap_merge_last_round(merge);
	if (is_taker(samples))
		samples_round(samples->samples);
}

bool live_samples_await(struct live_samples *samples)
{
	const struct timespec moment = clock_timespec(MOMENT_NS);

	if (!samples->waits || !is_taker(samples))
		return false;
	nanosleep(&moment, NULL);
	samples_round(samples->samples);
	return true;
}
