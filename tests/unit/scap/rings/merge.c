/* SPDX-License-Identifier: MIT */
/* The merge of all rings: order, the cut-off by scratch slots, and the account at the end. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi.h"
#include "fake_ring.h"
#include "scap/rings/merge.h"
#include "unit.h"

enum {
	CPUS_MAX = 7,
	FIRST_CPU = 10,
	RING_BYTES = 1 << 16,
	OFFSET = 1000000,
	LATER = 100000, /* more than clocks may differ */
	MUCH_LATER = 1000000000, /* longer than frames may wait in a slot */
};

struct fixture {
	unsigned int cpus;
	struct fake_ring fakes[CPUS_MAX];
	struct scap_ring rings[FIRST_CPU + CPUS_MAX]; /* by CPU, empty below the first */
	struct scratch_slot *slots; /* by CPU too */
	struct scap_merge *merge;
};

static void fixture_init(struct fixture *fixture, unsigned int cpus)
{
	struct scap_merge_config config = {
		.cpus = FIRST_CPU + cpus,
		.rings = fixture->rings,
		.boot_offset_ns = OFFSET,
	};

	memset(fixture, 0, sizeof(*fixture));
	fixture->slots = calloc(config.cpus * SCRATCH_SLOTS_PER_CPU, sizeof(*fixture->slots));
	assert_non_null(fixture->slots);
	config.slots = fixture->slots;
	fixture->cpus = cpus;
	for (unsigned int cpu = 0; cpu < FIRST_CPU; cpu++)
		scap_ring_init_empty(cpu, &fixture->rings[cpu]);
	for (unsigned int i = 0; i < cpus; i++) {
		fake_ring_init(&fixture->fakes[i], RING_BYTES, i % 2);
		fixture->rings[FIRST_CPU + i] = fixture->fakes[i].ring;
		fixture->rings[FIRST_CPU + i].cpu = (uint16_t)(FIRST_CPU + i);
	}
	assert_int_equal(scap_merge_create(&config, &fixture->merge), 0);
}

static void fixture_finish(struct fixture *fixture)
{
	scap_merge_destroy(fixture->merge);
	for (unsigned int cpu = 0; cpu < FIRST_CPU; cpu++)
		scap_ring_close(&fixture->rings[cpu]);
	for (unsigned int i = 0; i < fixture->cpus; i++) {
		fixture->fakes[i].ring = fixture->rings[FIRST_CPU + i];
		fake_ring_finish(&fixture->fakes[i]);
	}
	free(fixture->slots);
}

/* Slot `i` of the CPUs that have rings. */
static struct scratch_state *slot(struct fixture *fixture, unsigned int i)
{
	return &fixture->slots[FIRST_CPU * SCRATCH_SLOTS_PER_CPU + i].state;
}

/* An event at a time of the boot clock. */
static void put(struct fixture *fixture, unsigned int cpu, uint64_t boot_ns)
{
	assert_true(fake_ring_sample(&fixture->fakes[cpu], boot_ns + OFFSET, 1, 0));
	fake_ring_publish(&fixture->fakes[cpu]);
}

static void expect(struct fixture *fixture, unsigned int cpu, uint64_t boot_ns)
{
	struct scap_frame frame;
	uint64_t ts = 0;
	uint16_t from;

	assert_true(scap_merge_peek(fixture->merge, &ts));
	assert_int_equal(ts, boot_ns + OFFSET);
	assert_int_equal(scap_merge_next(fixture->merge, &frame, &from), 1);
	assert_int_equal(frame.ts, boot_ns + OFFSET);
	assert_int_equal(from, cpu + FIRST_CPU);
}

static void expect_end(struct fixture *fixture)
{
	struct scap_frame frame;
	uint64_t ts;
	uint16_t from;

	assert_false(scap_merge_peek(fixture->merge, &ts));
	assert_int_equal(scap_merge_next(fixture->merge, &frame, &from), 0);
}

static void test_order(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 3);
	put(&fixture, 0, 10);
	put(&fixture, 0, 40);
	put(&fixture, 1, 20);
	put(&fixture, 1, 30);
	put(&fixture, 2, 5);
	put(&fixture, 2, 50);
	expect_end(&fixture);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 2, 5);
	expect(&fixture, 0, 10);
	expect(&fixture, 1, 20);
	expect(&fixture, 1, 30);
	expect(&fixture, 0, 40);
	expect(&fixture, 2, 50);
	expect_end(&fixture);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(fixture.fakes[i].meta->data_tail, fixture.fakes[i].head);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 0);
	fixture_finish(&fixture);
}

/* An event that is later than the round began may have an earlier one beside it: it waits. */
static void test_later_than_the_round(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	put(&fixture, 0, LATER);
	put(&fixture, 1, 10);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 1, 10);
	expect_end(&fixture);
	put(&fixture, 1, LATER - 1);
	assert_int_equal(scap_merge_round(fixture.merge, 2 * LATER), 0);
	expect(&fixture, 1, LATER - 1);
	expect(&fixture, 0, LATER);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

/* A filler that has not written yet holds back what is not earlier than it. */
static void test_busy_slot(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	*slot(&fixture, 5) = (struct scratch_state){.users = 1, .since_ns = 30};
	put(&fixture, 0, 20);
	put(&fixture, 0, 30);
	put(&fixture, 0, 40);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 0, 20);
	expect_end(&fixture);
	assert_int_equal(fixture.fakes[0].meta->data_tail, 56);
	put(&fixture, 1, 30);
	*slot(&fixture, 5) = (struct scratch_state){0};
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 0, 30);
	expect(&fixture, 1, 30);
	expect(&fixture, 0, 40);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

/* The same on one CPU: the event of the filler that was preempted comes behind later ones. */
static void test_preempted_filler(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 1);
	*slot(&fixture, 0) = (struct scratch_state){.users = 1, .since_ns = 10};
	put(&fixture, 0, 20);
	put(&fixture, 0, 30);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect_end(&fixture);
	put(&fixture, 0, 10);
	*slot(&fixture, 0) = (struct scratch_state){0};
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 0, 10);
	expect(&fixture, 0, 20);
	expect(&fixture, 0, 30);
	expect_end(&fixture);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 0);
	fixture_finish(&fixture);
}

/* A filler that was interrupted before it read the clock: the old cut-off stays. */
static void test_filler_without_time(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 1);
	put(&fixture, 0, 10);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	slot(&fixture, 3)->users = 1;
	put(&fixture, 0, 20);
	put(&fixture, 0, 2 * LATER);
	assert_int_equal(scap_merge_round(fixture.merge, 4 * LATER), -EAGAIN);
	expect(&fixture, 0, 10);
	expect(&fixture, 0, 20);
	expect_end(&fixture);
	slot(&fixture, 3)->users = 0;
	assert_int_equal(scap_merge_round(fixture.merge, 4 * LATER), 0);
	expect(&fixture, 0, 2 * LATER);
	fixture_finish(&fixture);
}

static void test_last_round(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	put(&fixture, 0, UINT64_MAX / 2);
	put(&fixture, 1, 10);
	scap_merge_last_round(fixture.merge);
	expect(&fixture, 1, 10);
	expect(&fixture, 0, UINT64_MAX / 2);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

/* A round in the middle of another: the event that was given out is not given again. */
static void test_round_before_the_end(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	put(&fixture, 0, 10);
	put(&fixture, 0, 30);
	put(&fixture, 1, 20);
	scap_merge_round(fixture.merge, LATER);
	expect(&fixture, 0, 10);
	scap_merge_round(fixture.merge, LATER);
	expect(&fixture, 1, 20);
	scap_merge_round(fixture.merge, LATER);
	expect(&fixture, 0, 30);
	scap_merge_round(fixture.merge, LATER);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

static void test_out_of_order_is_counted(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	put(&fixture, 0, 20);
	scap_merge_round(fixture.merge, LATER);
	expect(&fixture, 0, 20);
	put(&fixture, 1, 10);
	put(&fixture, 1, 15);
	put(&fixture, 0, 25);
	scap_merge_round(fixture.merge, LATER);
	expect(&fixture, 1, 10);
	expect(&fixture, 1, 15);
	expect(&fixture, 0, 25);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 2);
	fixture_finish(&fixture);
}

static void test_no_rings(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 0);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

static void test_random_times(void **state)
{
	struct fixture fixture;
	uint64_t times[CPUS_MAX] = {0}, put_count = 0, taken = 0, last = 0, now = 0;
	struct scap_frame frame;
	uint16_t cpu;

	srandom(1);
	fixture_init(&fixture, CPUS_MAX);
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 300; i++) {
			unsigned int at = (unsigned int)random() % CPUS_MAX;

			times[at] = (times[at] < now ? now : times[at]) + (uint64_t)random() % 2000;
			if (fake_ring_sample(&fixture.fakes[at], times[at] + OFFSET, 1,
					     (size_t)random() % 300))
				put_count++;
			fake_ring_publish(&fixture.fakes[at]);
		}
		/* All that comes from here on is later. */
		now += 2 * LATER;
		assert_int_equal(scap_merge_round(fixture.merge, now), 0);
		while (scap_merge_next(fixture.merge, &frame, &cpu)) {
			assert_true(frame.ts >= last);
			last = frame.ts;
			taken++;
		}
	}
	scap_merge_last_round(fixture.merge);
	while (scap_merge_next(fixture.merge, &frame, &cpu))
		taken++;
	assert_int_equal(taken, put_count);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 0);
	fixture_finish(&fixture);
}

/* Frames that wait in a slot hold back the others, until they are taken out of it. */
static void test_frames_in_a_slot(void **state)
{
	static const uint64_t times[] = {OFFSET + 10, OFFSET + 30};
	struct fixture fixture;

	fixture_init(&fixture, 2);
	slot(&fixture, 0)->since_ns = 10;
	slot(&fixture, 0)->batch.count = 2;
	slot(&fixture, 0)->batch.bytes = (uint32_t)fake_frames(
		fixture.slots[FIRST_CPU * SCRATCH_SLOTS_PER_CPU].frames, times, 2, 0);
	put(&fixture, 0, 40);
	put(&fixture, 1, 5);
	put(&fixture, 1, 20);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect(&fixture, 1, 5);
	expect_end(&fixture);
	assert_int_equal(slot(&fixture, 0)->batch.count, 2);
	assert_int_equal(scap_merge_round(fixture.merge, MUCH_LATER), 0);
	expect(&fixture, 0, 10);
	expect(&fixture, 1, 20);
	expect(&fixture, 0, 30);
	expect(&fixture, 0, 40);
	expect_end(&fixture);
	assert_int_equal(slot(&fixture, 0)->users, 0);
	assert_int_equal(slot(&fixture, 0)->since_ns, 0);
	assert_int_equal(slot(&fixture, 0)->batch.count, 0);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 0);
	fixture_finish(&fixture);
}

/* At the end nothing stays in a slot, however fresh. */
static void test_frames_in_a_slot_at_the_end(void **state)
{
	static const uint64_t times[] = {OFFSET + LATER};
	struct fixture fixture;

	fixture_init(&fixture, 1);
	slot(&fixture, 3)->since_ns = LATER;
	slot(&fixture, 3)->batch.count = 1;
	slot(&fixture, 3)->batch.bytes = (uint32_t)fake_frames(
		fixture.slots[FIRST_CPU * SCRATCH_SLOTS_PER_CPU + 3].frames, times, 1, 0);
	scap_merge_last_round(fixture.merge);
	expect(&fixture, 0, LATER);
	expect_end(&fixture);
	fixture_finish(&fixture);
}

/* A CPU that came when the rings were open has none: what waits in its slots holds up nobody. */
static void test_slot_without_ring(void **state)
{
	static const uint64_t times[] = {OFFSET + 10, OFFSET + 30};
	struct fixture fixture;
	struct scratch_slot *stray;
	struct scap_frame frame;
	uint16_t cpu;

	fixture_init(&fixture, 1);
	stray = &fixture.slots[3 * SCRATCH_SLOTS_PER_CPU + 1];
	stray->state.since_ns = 10;
	stray->state.batch.count = 2;
	stray->state.batch.bytes = (uint32_t)fake_frames(stray->frames, times, 2, 0);
	put(&fixture, 0, 20);
	assert_int_equal(scap_merge_round(fixture.merge, LATER), 0);
	expect_end(&fixture);
	assert_int_equal(scap_merge_round(fixture.merge, MUCH_LATER), 0);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(scap_merge_next(fixture.merge, &frame, &cpu), 1);
		assert_int_equal(frame.ts, OFFSET + 10 * i);
		assert_int_equal(cpu, i == 2 ? FIRST_CPU : 3);
	}
	expect_end(&fixture);
	assert_true(scap_ring_drained(&fixture.rings[3]));
	fixture_finish(&fixture);
}

/* A slot that says nonsense: its events are missed, and counted. */
static void test_corrupt_slot(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 1);
	slot(&fixture, 0)->since_ns = 10;
	slot(&fixture, 0)->batch.count = 5;
	slot(&fixture, 0)->batch.bytes = UINT32_MAX;
	scap_merge_last_round(fixture.merge);
	expect_end(&fixture);
	assert_int_equal(fixture.rings[FIRST_CPU].corrupt, 5);
	fixture_finish(&fixture);
}

/* Threads in the place of fillers, all on the same CPUs, which stop at the worst moments. */
enum { FILLERS = 4, EVENTS_PER_FILLER = 20000, FRAMES_PER_BATCH = 5 };

struct filler {
	struct fixture *fixture;
	unsigned int cpu, seed;
	atomic_flag *ring_lock;
	atomic_uint *running;
	uint64_t written;
};

static uint64_t boot_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void dawdle(struct filler *filler)
{
	if (rand_r(&filler->seed) % 64 == 0)
		sched_yield();
}

static struct scratch_slot *take_slot(struct filler *filler)
{
	struct scratch_slot *slots =
		&filler->fixture->slots[(FIRST_CPU + filler->cpu) * SCRATCH_SLOTS_PER_CPU];

	for (unsigned int i = 0; i < SCRATCH_SLOTS_PER_CPU; i++) {
		__atomic_add_fetch(&slots[i].state.users, 1, __ATOMIC_SEQ_CST);
		dawdle(filler);
		if (__atomic_load_n(&slots[i].state.users, __ATOMIC_SEQ_CST) == 1)
			return &slots[i];
		__atomic_sub_fetch(&slots[i].state.users, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* What a slot has collected goes into the ring; the events are lost when that is full. */
static void send_slot(struct filler *filler, struct scratch_slot *slot)
{
	struct fake_ring *fake = &filler->fixture->fakes[filler->cpu];

	while (atomic_flag_test_and_set(filler->ring_lock))
		sched_yield();
	if (!fake_ring_record(fake, slot->frames, slot->state.batch.bytes))
		filler->written -= slot->state.batch.count;
	fake_ring_publish(fake);
	atomic_flag_clear(filler->ring_lock);
	slot->state.batch = (struct batch_header){0};
}

static void *fill(void *argument)
{
	struct filler *filler = argument;

	for (uint64_t i = 0; i < EVENTS_PER_FILLER; i++) {
		struct scratch_slot *slot = take_slot(filler);
		uint64_t ts;

		if (!slot)
			continue;
		ts = boot_ns();
		dawdle(filler);
		if (slot->state.batch.count == 0)
			__atomic_store_n(&slot->state.since_ns, ts, __ATOMIC_SEQ_CST);
		dawdle(filler);
		ts += OFFSET;
		slot->state.batch.bytes +=
			fake_frames(slot->frames + slot->state.batch.bytes, &ts, 1, i % 100);
		slot->state.batch.count++;
		filler->written++;
		if (slot->state.batch.count == FRAMES_PER_BATCH)
			send_slot(filler, slot);
		dawdle(filler);
		if (slot->state.batch.count == 0)
			__atomic_store_n(&slot->state.since_ns, 0, __ATOMIC_SEQ_CST);
		__atomic_sub_fetch(&slot->state.users, 1, __ATOMIC_SEQ_CST);
		dawdle(filler);
	}
	atomic_fetch_sub(filler->running, 1);
	return NULL;
}

static uint64_t take_all(struct fixture *fixture, uint64_t *last)
{
	struct scap_frame frame;
	uint64_t taken = 0;
	uint16_t cpu;

	while (scap_merge_next(fixture->merge, &frame, &cpu)) {
		assert_true(frame.ts >= *last);
		*last = frame.ts;
		taken++;
	}
	return taken;
}

static void test_fillers_at_work(void **state)
{
	static atomic_flag locks[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
	struct fixture fixture;
	struct filler fillers[FILLERS];
	pthread_t threads[FILLERS];
	atomic_uint running = FILLERS;
	uint64_t taken = 0, written = 0, last = 0;

	fixture_init(&fixture, 2);
	for (unsigned int i = 0; i < FILLERS; i++) {
		fillers[i] = (struct filler){
			.fixture = &fixture,
			.cpu = i % 2,
			.seed = i,
			.ring_lock = &locks[i % 2],
			.running = &running,
		};
		assert_int_equal(pthread_create(&threads[i], NULL, fill, &fillers[i]), 0);
	}
	while (atomic_load(&running)) {
		scap_merge_round(fixture.merge, boot_ns());
		taken += take_all(&fixture, &last);
		sched_yield();
	}
	for (unsigned int i = 0; i < FILLERS; i++) {
		pthread_join(threads[i], NULL);
		written += fillers[i].written;
	}
	scap_merge_last_round(fixture.merge);
	taken += take_all(&fixture, &last);
	assert_true(written > 0);
	assert_int_equal(taken, written);
	assert_int_equal(scap_merge_out_of_order(fixture.merge), 0);
	fixture_finish(&fixture);
}

/* Quiet is who has neither an event that has to wait nor a program that may write one. */
static void test_quiet(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	assert_int_equal(scap_merge_round(fixture.merge, 100000), 0);
	assert_true(scap_merge_is_quiet(fixture.merge));
	put(&fixture, 1, LATER);
	assert_int_equal(scap_merge_round(fixture.merge, 100000), 0);
	expect_end(&fixture);
	assert_false(scap_merge_is_quiet(fixture.merge));
	assert_int_equal(scap_merge_round(fixture.merge, MUCH_LATER), 0);
	expect(&fixture, 1, LATER);
	expect_end(&fixture);
	assert_true(scap_merge_is_quiet(fixture.merge));
	slot(&fixture, 3)->users = 1;
	assert_false(scap_merge_is_quiet(fixture.merge));
	fixture_finish(&fixture);
}

static void test_await(void **state)
{
	struct fixture fixture;

	fixture_init(&fixture, 2);
	scap_merge_await(fixture.merge, true);
	for (unsigned int i = 0; i < 2 * SCRATCH_SLOTS_PER_CPU; i++)
		assert_int_equal(slot(&fixture, i)->awaited, 1);
	scap_merge_await(fixture.merge, false);
	for (unsigned int i = 0; i < 2 * SCRATCH_SLOTS_PER_CPU; i++)
		assert_int_equal(slot(&fixture, i)->awaited, 0);
	fixture_finish(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_quiet),
	cmocka_unit_test(test_await),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_later_than_the_round),
	cmocka_unit_test(test_busy_slot),
	cmocka_unit_test(test_preempted_filler),
	cmocka_unit_test(test_filler_without_time),
	cmocka_unit_test(test_last_round),
	cmocka_unit_test(test_round_before_the_end),
	cmocka_unit_test(test_out_of_order_is_counted),
	cmocka_unit_test(test_no_rings),
	cmocka_unit_test(test_random_times),
	cmocka_unit_test(test_frames_in_a_slot),
	cmocka_unit_test(test_frames_in_a_slot_at_the_end),
	cmocka_unit_test(test_slot_without_ring),
	cmocka_unit_test(test_corrupt_slot),
	cmocka_unit_test(test_fillers_at_work),
};

UNIT_GROUP(tests);
