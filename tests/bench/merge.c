/* SPDX-License-Identifier: MIT */
/*
 * The speed of the merge of ring buffers, without the kernel: batches of frames are written to
 * rings in plain memory, and taken in time order. Neighbours in time are in different rings: the
 * most work that the merge can have. Prints the nanoseconds of CPU time per event, the median of
 * several passes; writing the rings is not counted.
 *
 *   merge_speed RINGS [EVENTS]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "abi.h"
#include "fake_ring.h"
#include "scap/rings/merge.h"

enum {
	RINGS_MAX = 64,
	RING_BYTES = 1 << 18,
	EVENTS_DEFAULT = 1000000,
	PASSES = 7,
	FRAMES = 16, /* of a batch */
	BODY_BYTES = 70, /* of a frame: it is 96 bytes then */
	STEP_NS = 500, /* between events */
	SETTLED_NS = 1000000000, /* after which no CPU can still give earlier events */
};

struct bench {
	unsigned int rings;
	struct fake_ring fakes[RINGS_MAX];
	struct scap_ring cursors[RINGS_MAX];
	struct scratch_slot *slots;
	struct scap_merge *merge;
	uint64_t now_ns;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "merge_speed: %s\n", what);
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void bench_init(struct bench *bench, unsigned int rings)
{
	struct scap_merge_config config = {.cpus = rings, .rings = bench->cursors};

	bench->rings = rings;
	bench->now_ns = 1;
	bench->slots = calloc((size_t)rings * SCRATCH_SLOTS_PER_CPU, sizeof(*bench->slots));
	config.slots = bench->slots;
	for (unsigned int i = 0; i < rings; i++) {
		fake_ring_init(&bench->fakes[i], RING_BYTES, true);
		bench->cursors[i] = bench->fakes[i].ring;
		bench->cursors[i].cpu = (uint16_t)i;
	}
	if (!bench->slots || scap_merge_create(&config, &bench->merge))
		fail("out of memory");
}

static void bench_finish(struct bench *bench)
{
	scap_merge_destroy(bench->merge);
	for (unsigned int i = 0; i < bench->rings; i++)
		fake_ring_finish(&bench->fakes[i]);
	free(bench->slots);
}

/* A batch in each ring: the frames of all, in time order, go round the rings. Whether all had room.
 */
static bool write_batches(struct bench *bench)
{
	uint64_t times[FRAMES];

	for (unsigned int i = 0; i < bench->rings; i++) {
		for (unsigned int frame = 0; frame < FRAMES; frame++)
			times[frame] = bench->now_ns + (frame * bench->rings + i) * STEP_NS;
		if (!fake_ring_batch(&bench->fakes[i], times, FRAMES, BODY_BYTES))
			return false;
	}
	bench->now_ns += (uint64_t)FRAMES * bench->rings * STEP_NS;
	return true;
}

static uint64_t take_all(struct bench *bench)
{
	struct scap_frame frame;
	uint64_t taken = 0;
	uint16_t cpu;

	if (scap_merge_round(bench->merge, bench->now_ns))
		fail("no round begins");
	while (scap_merge_next(bench->merge, &frame, &cpu) == 1)
		taken++;
	return taken;
}

/* Nanoseconds per event. */
static double pass(struct bench *bench, uint64_t wanted)
{
	uint64_t taken = 0, written, took = 0;

	while (taken < wanted) {
		uint64_t begin, found;

		for (written = 0; write_batches(bench); written += FRAMES * bench->rings)
			;
		for (unsigned int i = 0; i < bench->rings; i++)
			fake_ring_publish(&bench->fakes[i]);
		bench->now_ns += SETTLED_NS;
		begin = cpu_ns();
		found = take_all(bench);
		took += cpu_ns() - begin;
		if (found < written)
			fail("the merge kept events back");
		taken += found;
	}
	return (double)took / (double)taken;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned long rings = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : EVENTS_DEFAULT;
	struct bench bench = {0};
	double ns[PASSES];

	if (rings < 1 || rings > RINGS_MAX || argc > 3) {
		fprintf(stderr, "usage: merge_speed RINGS [EVENTS]\n");
		return 2;
	}
	bench_init(&bench, (unsigned int)rings);
	pass(&bench, events);
	for (int i = 0; i < PASSES; i++)
		ns[i] = pass(&bench, events);
	qsort(ns, PASSES, sizeof(ns[0]), compare);
	printf("%.2f\n", ns[PASSES / 2]);
	bench_finish(&bench);
	return 0;
}
