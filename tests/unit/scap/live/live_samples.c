/* SPDX-License-Identifier: MIT */
/* Samples of this process between events of programs, which the test writes into a ring. */
#include "scap/live/live_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "event/event.h"
#include "fake_ring.h"
#include "scap/samples/samples.h"
#include "unit.h"
#include "util/clock.h"

enum { RING_BYTES = 1 << 16, WRITES = 3, LATER_NS = 10000000 };

static volatile long watched __attribute__((aligned(8)));

struct mixed {
	struct perf_machine machine;
	struct perf_event_list list;
	struct samples *samples;
	struct fake_ring fake;
	struct scap_ring ring;
	struct scap_merge *merge;
	struct live_rings rings;
	struct live_samples live;
};

static const uint8_t kinds[] = {SAMPLE_PERF};

static void open_or_skip(struct mixed *mixed, bool symbols)
{
	struct samples_config config = {.events = &mixed->list,
					.kinds = kinds,
					.machine = &mixed->machine,
					.ring_bytes = RING_BYTES,
					.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
					.symbols = symbols};
	struct scap_merge_config merge = {.cpus = 1, .rings = &mixed->ring};
	char text[64];
	int r;

	*mixed = (struct mixed){.rings = {.epoll = epoll_create1(EPOLL_CLOEXEC)}};
	snprintf(text, sizeof(text), "mem:%#" PRIxPTR "/8:w:u", (uintptr_t)&watched);
	assert_int_equal(perf_machine_open(&mixed->machine, NULL, NULL, NULL), 0);
	assert_int_equal(perf_event_parse(text, &mixed->machine, NULL, &mixed->list, NULL), 0);
	r = samples_open(&config, &mixed->samples, NULL);
	close(config.proc);
	if (r == -EACCES || r == -EPERM || r == -ENOSPC)
		skip();
	assert_int_equal(r, 0);
	fake_ring_init(&mixed->fake, RING_BYTES, false);
	mixed->ring = mixed->fake.ring;
	assert_int_equal(scap_merge_create(&merge, &mixed->merge), 0);
	assert_int_equal(live_samples_open(&mixed->live, mixed->samples, &mixed->rings, NULL), 0);
	samples_begin(mixed->samples);
}

static void finish(struct mixed *mixed)
{
	live_samples_close(&mixed->live);
	scap_merge_destroy(mixed->merge);
	mixed->fake.ring = mixed->ring;
	fake_ring_finish(&mixed->fake);
	samples_close(mixed->samples);
	perf_event_list_finish(&mixed->list);
	perf_machine_close(&mixed->machine);
	close(mixed->rings.epoll);
}

static void write_event(struct mixed *mixed, uint64_t ts)
{
	assert_true(fake_ring_sample(&mixed->fake, ts, EVENT_close, 16));
	fake_ring_publish(&mixed->fake);
}

static void expect(struct mixed *mixed, uint16_t type)
{
	struct scap_frame frame;
	uint16_t cpu;

	assert_int_equal(live_samples_next(&mixed->live, mixed->merge, &frame, &cpu), 1);
	assert_int_equal(frame.type, type);
}

static void expect_none(struct mixed *mixed)
{
	struct scap_frame frame;
	uint16_t cpu;

	assert_int_equal(live_samples_next(&mixed->live, mixed->merge, &frame, &cpu), 0);
}

static void take_turns(void **state)
{
	struct mixed mixed;
	uint64_t end;

	open_or_skip(&mixed, false);
	for (long i = 0; i < WRITES; i++) {
		write_event(&mixed, clock_ns(CLOCK_BOOTTIME));
		watched = i;
	}
	end = clock_ns(CLOCK_BOOTTIME);
	/* Not before it is known what there is. */
	live_samples_round(&mixed.live, mixed.merge, end - LATER_NS);
	expect_none(&mixed);
	assert_false(live_samples_are_quiet(&mixed.live));
	live_samples_round(&mixed.live, mixed.merge, end + LATER_NS);
	for (int i = 0; i < WRITES; i++) {
		expect(&mixed, EVENT_close);
		expect(&mixed, EVENT_perf_sample);
	}
	expect_none(&mixed);
	assert_true(live_samples_are_quiet(&mixed.live));
	/* The rest comes in the last round. */
	write_event(&mixed, end + 2 * LATER_NS);
	watched = WRITES;
	samples_stop(mixed.samples);
	live_samples_last_round(&mixed.live, mixed.merge);
	expect(&mixed, EVENT_perf_sample);
	expect(&mixed, EVENT_close);
	expect_none(&mixed);
	assert_false(live_samples_await(&mixed.live));
	assert_int_equal(mixed.live.out_of_order, 0);
	finish(&mixed);
}

/* Symbols of a sample are looked up when it is the next event, and not for each one before it. */
static void waits_for_symbols_of_the_next_event_only(void **state)
{
	struct mixed mixed;
	struct scap_frame frame;
	struct samples_stats stats;
	uint64_t end;
	uint16_t cpu;

	open_or_skip(&mixed, true);
	for (int i = 0; i < WRITES; i++)
		write_event(&mixed, clock_ns(CLOCK_BOOTTIME));
	watched = 1;
	samples_stop(mixed.samples);
	end = clock_ns(CLOCK_BOOTTIME);
	live_samples_round(&mixed.live, mixed.merge, end + LATER_NS);
	for (int i = 0; i < WRITES; i++) {
		expect(&mixed, EVENT_close);
		assert_false(mixed.live.waits);
	}
	expect_none(&mixed);
	assert_true(mixed.live.waits);
	while (live_samples_await(&mixed.live) &&
	       !live_samples_next(&mixed.live, mixed.merge, &frame, &cpu))
		;
	assert_int_equal(frame.type, EVENT_perf_sample);
	samples_stats(mixed.samples, &stats);
	assert_true(stats.nameless <= 1);
	finish(&mixed);
}

/* A sample that comes into its ring too late is given out, and counted. */
static void counts_what_is_late(void **state)
{
	uint64_t later = clock_ns(CLOCK_BOOTTIME) + (uint64_t)100 * LATER_NS;
	struct mixed mixed;

	open_or_skip(&mixed, false);
	write_event(&mixed, later);
	live_samples_round(&mixed.live, mixed.merge, later + LATER_NS);
	expect(&mixed, EVENT_close);
	watched = 1;
	live_samples_round(&mixed.live, mixed.merge, later + LATER_NS);
	expect(&mixed, EVENT_perf_sample);
	assert_int_equal(mixed.live.out_of_order, 1);
	finish(&mixed);
}

/* Two captures have the same samples: the second one after the first one has ended. */
static void one_capture_has_them(void **state)
{
	struct live_samples second = {0};
	struct mixed mixed;
	struct scap_frame frame;
	uint16_t cpu;

	open_or_skip(&mixed, false);
	live_samples_round(&mixed.live, mixed.merge, clock_ns(CLOCK_BOOTTIME));
	second.samples = mixed.samples;
	watched = 1;
	samples_stop(mixed.samples);
	live_samples_last_round(&second, mixed.merge);
	assert_int_equal(live_samples_next(&second, mixed.merge, &frame, &cpu), 0);
	live_samples_close(&mixed.live);
	live_samples_last_round(&second, mixed.merge);
	assert_int_equal(live_samples_next(&second, mixed.merge, &frame, &cpu), 1);
	assert_int_equal(frame.type, EVENT_perf_sample);
	live_samples_close(&second);
	finish(&mixed);
}

static void there_are_none(void **state)
{
	struct live_samples none = {0};

	assert_int_equal(live_samples_open(&none, NULL, NULL, NULL), 0);
	assert_false(live_samples_await(&none));
	assert_true(live_samples_are_quiet(&none));
	live_samples_close(&none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(take_turns),
	cmocka_unit_test(waits_for_symbols_of_the_next_event_only),
	cmocka_unit_test(counts_what_is_late),
	cmocka_unit_test(one_capture_has_them),
	cmocka_unit_test(there_are_none),
};

UNIT_GROUP(tests);
