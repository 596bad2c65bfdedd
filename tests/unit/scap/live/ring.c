/* SPDX-License-Identifier: MIT */
/* The cursor over a perf ring: order, wrapping, losses, corrupt records, and when memory is given
 * back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "fake_ring.h"

/* RECORD_BYTES: a sample with a frame without parameters, all headers and padding included. */
enum { RING_BYTES = 4096, RECORD_BYTES = 56 };

static bool next(struct scap_ring *ring, struct scap_frame *frame)
{
	return scap_ring_peek(ring, frame) == 1;
}

static void expect_event(struct scap_ring *ring, uint64_t ts)
{
	struct scap_frame frame;

	assert_true(next(ring, &frame));
	assert_int_equal(frame.ts, ts);
	for (size_t i = sizeof(struct ppm_evt_hdr); i < frame.len; i++)
		assert_int_equal(((const uint8_t *)frame.bytes)[i], (uint8_t)ts);
	scap_ring_take(ring);
}

static void expect_end(struct scap_ring *ring)
{
	struct scap_frame frame;

	assert_false(next(ring, &frame));
}

/* Laps of records of many sizes, so that every kind of wrap happens. */
static void laps(bool mirrored)
{
	struct fake_ring fake;
	uint64_t written = 0, taken = 0;

	fake_ring_init(&fake, RING_BYTES, mirrored);
	for (int round = 0; round < 2000; round++) {
		while (fake_ring_sample(&fake, written + 1, EVENT_ID_MAX - 1, written % 251))
			written++;
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		while (taken < written)
			expect_event(&fake.ring, ++taken);
		expect_end(&fake.ring);
		assert_int_equal(fake.meta->data_tail, fake.head);
	}
	assert_true(fake.head > 1000 * RING_BYTES);
	assert_int_equal(fake.ring.corrupt, 0);
	fake_ring_finish(&fake);
}

static void test_laps_mirrored(void **state)
{
	laps(true);
}

static void test_laps_bounced(void **state)
{
	laps(false);
}

static void test_record_as_large_as_the_ring(void **state)
{
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	for (uint64_t ts = 1; ts < 600; ts++) {
		/* 4088 bytes with what stands before: begins 8 bytes earlier in every lap. */
		assert_true(fake_ring_sample(&fake, ts, 1, 4088 - 24 - sizeof(struct ppm_evt_hdr)));
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		expect_event(&fake.ring, ts);
		expect_end(&fake.ring);
	}
	fake_ring_finish(&fake);
}

static void test_nothing_before_load(void **state)
{
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, true);
	expect_end(&fake.ring);
	fake_ring_sample(&fake, 1, 1, 0);
	fake_ring_publish(&fake);
	expect_end(&fake.ring);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 1);
	fake_ring_finish(&fake);
}

/* At most half of the ring is in use: 2048 of 4096 bytes are 36 records. */
static void test_has_room(void **state)
{
	struct scap_ring empty;
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, true);
	for (uint64_t ts = 1; ts <= RING_BYTES / 2 / RECORD_BYTES; ts++)
		assert_true(fake_ring_sample(&fake, ts, 1, 0));
	fake_ring_publish(&fake);
	assert_true(scap_ring_has_room(&fake.ring));
	assert_true(fake_ring_sample(&fake, RING_BYTES, 1, 0));
	fake_ring_publish(&fake);
	assert_false(scap_ring_has_room(&fake.ring));
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 1);
	scap_ring_release(&fake.ring);
	assert_true(scap_ring_has_room(&fake.ring));
	fake_ring_finish(&fake);
	scap_ring_init_empty(0, &empty);
	assert_true(scap_ring_has_room(&empty));
	scap_ring_close(&empty);
}

/* Room goes back in steps, never under a record that is in use. */
static void test_release(void **state)
{
	struct fake_ring fake;
	struct scap_frame frame;
	uint64_t before;

	fake_ring_init(&fake, RING_BYTES, true);
	for (uint64_t ts = 1; ts <= 20; ts++)
		assert_true(fake_ring_sample(&fake, ts, 1, 0)); /* RECORD_BYTES each */
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	for (uint64_t ts = 1; ts <= 4; ts++)
		expect_event(&fake.ring, ts);
	assert_int_equal(fake.meta->data_tail, 0); /* 224 of 256 bytes */
	expect_event(&fake.ring, 5);
	assert_int_equal(fake.meta->data_tail, 5 * RECORD_BYTES);
	assert_true(next(&fake.ring, &frame));
	scap_ring_release(&fake.ring);
	assert_int_equal(fake.meta->data_tail, 5 * RECORD_BYTES);
	before = fake.meta->data_tail;
	for (uint64_t ts = 6; ts <= 20; ts++) {
		assert_true(next(&fake.ring, &frame));
		assert_true(fake.meta->data_tail <= before + (ts - 6) * RECORD_BYTES);
		scap_ring_take(&fake.ring);
	}
	expect_end(&fake.ring);
	assert_int_equal(fake.meta->data_tail, fake.head);
	fake_ring_finish(&fake);
}

static void test_lost_and_other_records(void **state)
{
	struct perf_event_header other = {.type = PERF_RECORD_THROTTLE, .size = 8};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	fake_ring_lost(&fake, 5);
	fake_ring_sample(&fake, 1, 1, 3);
	fake_ring_write(&fake, &other, sizeof(other));
	fake_ring_lost(&fake, 7);
	fake_ring_sample(&fake, 2, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 1);
	expect_event(&fake.ring, 2);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.lost, 12);
	assert_int_equal(fake.ring.corrupt, 0);
	fake_ring_finish(&fake);
}

static void test_short_lost_record(void **state)
{
	struct perf_event_header lost = {.type = PERF_RECORD_LOST, .size = 8};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	fake_ring_write(&fake, &lost, sizeof(lost));
	fake_ring_sample(&fake, 2, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 2);
	assert_int_equal(fake.ring.lost, 0);
	assert_int_equal(fake.ring.corrupt, 1);
	fake_ring_finish(&fake);
}

/* Programs that were preempted write late; their events come in their turn. */
static void test_stragglers(void **state)
{
	static const uint64_t written[] = {10, 20, 30, 15, 40, 25, 12, 50, 50, 45};
	static const uint64_t expected[] = {10, 12, 15, 20, 25, 30, 40, 45, 50, 50};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
		fake_ring_sample(&fake, written[i], 1, i);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		expect_event(&fake.ring, expected[i]);
	expect_end(&fake.ring);
	assert_int_equal(fake.meta->data_tail, fake.head);
	fake_ring_finish(&fake);
}

/* A straggler that is loaded while a later event waits goes first, and keeps the room. */
static void test_straggler_of_a_later_load(void **state)
{
	struct fake_ring fake;
	struct scap_frame frame;

	fake_ring_init(&fake, RING_BYTES, true);
	fake_ring_sample(&fake, 20, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	assert_true(next(&fake.ring, &frame));
	assert_int_equal(frame.ts, 20);
	fake_ring_sample(&fake, 10, 1, 0);
	fake_ring_sample(&fake, 30, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 10);
	scap_ring_release(&fake.ring);
	assert_int_equal(fake.meta->data_tail, 0);
	expect_event(&fake.ring, 20);
	expect_event(&fake.ring, 30);
	expect_end(&fake.ring);
	fake_ring_finish(&fake);
}

/* Even when it is too late to be in order it is given, once, before its room is given back. */
static void test_straggler_that_comes_too_late(void **state)
{
	struct fake_ring fake;
	struct scap_frame frame;

	fake_ring_init(&fake, RING_BYTES, true);
	fake_ring_sample(&fake, 20, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 20);
	expect_end(&fake.ring);
	fake_ring_sample(&fake, 10, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	assert_true(next(&fake.ring, &frame));
	assert_int_equal(frame.ts, 10);
	scap_ring_release(&fake.ring);
	assert_int_equal(fake.meta->data_tail, RECORD_BYTES);
	scap_ring_take(&fake.ring);
	expect_end(&fake.ring);
	assert_int_equal(fake.meta->data_tail, 2 * RECORD_BYTES);
	fake_ring_finish(&fake);
}

static void test_many_stragglers(void **state)
{
	struct fake_ring fake;
	uint64_t n = 0;

	fake_ring_init(&fake, 16 * RING_BYTES, false);
	while (fake_ring_sample(&fake, 100000 - n, 1, 1))
		n++;
	assert_true(n > 1000);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	for (uint64_t i = 1; i <= n; i++)
		expect_event(&fake.ring, 100000 - n + i);
	expect_end(&fake.ring);
	fake_ring_finish(&fake);
}

/* A size that cannot be right: events before it are given, the rest is given up, life goes on. */
static void test_corrupt_size(void **state)
{
	static const uint16_t sizes[] = {0, 4, 7, 12, 41, 4096, 0xfff8, 0xffff};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct perf_event_header bad = {.type = PERF_RECORD_SAMPLE, .size = sizes[i]};
		struct fake_ring fake;

		fake_ring_init(&fake, RING_BYTES, i % 2);
		fake_ring_sample(&fake, 1, 1, 0);
		fake_ring_write(&fake, &bad, sizeof(bad));
		fake_ring_sample(&fake, 2, 1, 0);
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		expect_event(&fake.ring, 1);
		expect_end(&fake.ring);
		fake_ring_sample(&fake, 3, 1, 0);
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		expect_end(&fake.ring);
		assert_int_equal(fake.ring.corrupt, 1);
		fake_ring_sample(&fake, 4, 1, 0);
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		expect_event(&fake.ring, 4);
		expect_end(&fake.ring);
		assert_int_equal(fake.meta->data_tail, fake.head);
		fake_ring_finish(&fake);
	}
}

static void test_impossible_head(void **state)
{
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	fake.head = 3 * RING_BYTES;
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.corrupt, 1);
	fake_ring_sample(&fake, 4, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 4);
	fake_ring_finish(&fake);
}

/* A frame that is corrupt costs itself alone. */
static void corrupt_frame(uint32_t raw, uint32_t batch_bytes, uint32_t len, uint16_t type)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = 56};
	struct batch_header batch = {.bytes = batch_bytes};
	struct ppm_evt_hdr frame = {.ts = 5, .type = type, .len = len};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	fake_ring_write(&fake, &header, sizeof(header));
	fake_ring_write(&fake, &raw, sizeof(raw));
	fake_ring_write(&fake, &batch, sizeof(batch));
	fake_ring_write(&fake, &frame, sizeof(frame));
	fake_ring_write(&fake, "\0\0\0\0\0\0\0\0\0", 10);
	fake_ring_sample(&fake, 6, 1, 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 6);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.corrupt, 1);
	fake_ring_finish(&fake);
}

static void test_corrupt_frames(void **state)
{
	corrupt_frame(45, 32, 26, 1); /* raw size */
	corrupt_frame(UINT32_MAX, 32, 26, 1);
	corrupt_frame(7, 32, 26, 1);
	corrupt_frame(39, 32, 26, 1);
	corrupt_frame(40, 33, 26, 1); /* bytes of the batch */
	corrupt_frame(40, UINT32_MAX, 26, 1);
	corrupt_frame(40, 0, 26, 1);
	corrupt_frame(40, 25, 26, 1);
	corrupt_frame(40, 32, 33, 1); /* length of the frame */
	corrupt_frame(40, 32, UINT32_MAX, 1);
	corrupt_frame(40, 32, 25, 1);
	corrupt_frame(40, 32, 0, 1);
	corrupt_frame(40, 32, 26, EVENT_ID_MAX);
	corrupt_frame(40, 32, 26, UINT16_MAX);
}

/* Frames that were collected in one slot, and late ones of another slot. */
static void test_batches(void **state)
{
	static const uint64_t first[] = {10, 20, 30, 40}, late[] = {5, 15, 25, 35, 45};
	static const uint64_t last[] = {50, 60};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	assert_true(fake_ring_batch(&fake, first, 4, 3));
	assert_true(fake_ring_batch(&fake, late, 5, 0));
	assert_true(fake_ring_batch(&fake, last, 2, 60));
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	for (uint64_t ts = 5; ts <= 50; ts += 5)
		expect_event(&fake.ring, ts);
	expect_event(&fake.ring, 60);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.corrupt, 0);
	assert_int_equal(fake.meta->data_tail, fake.head);
	fake_ring_finish(&fake);
}

/* Frames of many events in laps, so that records wrap in each of their frames. */
static void test_laps_of_batches(void **state)
{
	struct fake_ring fake;
	uint64_t written = 0, taken = 0;

	fake_ring_init(&fake, RING_BYTES, false);
	for (int round = 0; round < 1000; round++) {
		for (;;) {
			uint64_t times[7];
			size_t n = 1 + written % 7;

			for (size_t i = 0; i < n; i++)
				times[i] = written + 1 + i;
			if (!fake_ring_batch(&fake, times, n, written % 97))
				break;
			written += n;
		}
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		while (taken < written)
			expect_event(&fake.ring, ++taken);
		expect_end(&fake.ring);
	}
	assert_true(fake.head > 500 * RING_BYTES);
	assert_int_equal(fake.ring.corrupt, 0);
	fake_ring_finish(&fake);
}

static uint32_t add(struct scap_ring *ring, const uint8_t *frames, size_t bytes, uint16_t count)
{
	struct batch_header batch = {.bytes = (uint32_t)bytes, .count = count};

	return scap_ring_add(ring, batch, frames);
}

/* Frames taken out of a slot come in their turn, before and after those of the ring. */
static void test_added_frames(void **state)
{
	static const uint64_t in_ring[] = {10, 30, 50}, aside[] = {5, 20, 40, 60}, more[] = {35};
	uint8_t frames[1024];
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, true);
	assert_true(fake_ring_batch(&fake, in_ring, 3, 0));
	fake_ring_publish(&fake);
	assert_int_equal(add(&fake.ring, frames, fake_frames(frames, aside, 4, 1), 4), 4);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 5);
	expect_event(&fake.ring, 10);
	assert_int_equal(add(&fake.ring, frames, fake_frames(frames, more, 1, 9), 1), 1);
	expect_event(&fake.ring, 20);
	expect_event(&fake.ring, 30);
	expect_event(&fake.ring, 35);
	expect_event(&fake.ring, 40);
	expect_event(&fake.ring, 50);
	expect_event(&fake.ring, 60);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.corrupt, 0);
	fake_ring_finish(&fake);
}

static void test_added_frames_corrupt(void **state)
{
	static const uint64_t times[] = {1, 2, 3};
	uint8_t frames[1024];
	struct fake_ring fake;
	size_t bytes = fake_frames(frames, times, 3, 0);

	fake_ring_init(&fake, RING_BYTES, true);
	frames[32 + offsetof(struct ppm_evt_hdr, len) + 2] = 0xff;
	assert_int_equal(add(&fake.ring, frames, bytes, 3), 1);
	assert_int_equal(fake.ring.corrupt, 2);
	expect_event(&fake.ring, 1);
	expect_end(&fake.ring);
	fake_ring_finish(&fake);
}

/* What was taken of added frames is dropped in the end, though there are always some left. */
static void test_added_frames_are_tidied(void **state)
{
	enum { BATCHES = 2000, KEPT = 100, EXTRA = 1000 };
	uint8_t frames[2048];
	struct scap_ring ring;
	uint64_t ts = 0;
	size_t largest = 0;

	scap_ring_init_empty(1, &ring);
	for (int i = 0; i < BATCHES; i++) {
		ts++;
		assert_int_equal(add(&ring, frames, fake_frames(frames, &ts, 1, EXTRA), 1), 1);
		if (i >= KEPT)
			expect_event(&ring, ts - KEPT);
		largest = ring.aside.len > largest ? ring.aside.len : largest;
	}
	assert_true(largest < 400 * EXTRA);
	/* As long as most is needed nothing is moved. */
	for (int i = 0; i < BATCHES; i++) {
		ts++;
		add(&ring, frames, fake_frames(frames, &ts, 1, EXTRA), 1);
	}
	assert_true(ring.aside.len > BATCHES * EXTRA);
	largest = ring.aside.len;
	expect_event(&ring, ts - BATCHES - KEPT + 1);
	ts++;
	add(&ring, frames, fake_frames(frames, &ts, 1, EXTRA), 1);
	assert_true(ring.aside.len > largest);
	for (uint64_t left = ts - BATCHES - KEPT + 1; left <= ts; left++)
		expect_event(&ring, left);
	expect_end(&ring);
	assert_int_equal(ring.aside_live, 0);
	scap_ring_close(&ring);
}

/* A record that is corrupt costs as many events as it says that it has. */
static void test_corrupt_batch(void **state)
{
	static const uint64_t times[] = {1, 2, 3, 4};
	uint8_t bytes[512];
	struct fake_ring fake;
	size_t n = fake_frames(bytes, times, 4, 0);
	struct batch_header batch = {.bytes = (uint32_t)n, .count = 4};

	bytes[32 + offsetof(struct ppm_evt_hdr, type) + 1] = 0xff; /* of the second frame */
	fake_ring_init(&fake, RING_BYTES, true);
	assert_true(fake_ring_record_of(&fake, batch, bytes, n));
	batch.bytes = 2 * n; /* more than the record has */
	assert_true(fake_ring_record_of(&fake, batch, bytes, n));
	batch.bytes = 32; /* fewer frames than it says */
	assert_true(fake_ring_record_of(&fake, batch, bytes, n));
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	assert_int_equal(fake.ring.corrupt, 3 + 4 + 3);
	expect_event(&fake.ring, 1);
	expect_event(&fake.ring, 1);
	expect_end(&fake.ring);
	fake_ring_finish(&fake);
}

/* Random bytes and heads, some of them nearly right: nothing may be read outside (ASan). */
static void random_bytes(unsigned int seed, bool mirrored)
{
	struct fake_ring fake;
	struct scap_frame frame;
	uint64_t sum = 0;

	srandom(seed);
	fake_ring_init(&fake, RING_BYTES, mirrored);
	for (int round = 0; round < 300; round++) {
		int kind = (int)(random() % 8);

		if (kind == 0)
			for (size_t i = 0; i < RING_BYTES; i++)
				fake.data[i] = (uint8_t)random();
		else if (kind == 1)
			fake.head += (uint64_t)random() % (2 * RING_BYTES);
		else if (kind == 2)
			fake.data[random() % RING_BYTES] = (uint8_t)random();
		for (int i = 0; i < 20; i++)
			fake_ring_sample(&fake, (uint64_t)random() % 100, 1,
					 (size_t)random() % 200);
		fake_ring_publish(&fake);
		scap_ring_load(&fake.ring);
		while (next(&fake.ring, &frame)) {
			for (uint32_t i = 0; i < frame.len; i++)
				sum += ((const uint8_t *)frame.bytes)[i];
			scap_ring_take(&fake.ring);
		}
		assert_true(fake.meta->data_tail <= fake.head);
	}
	assert_true(sum > 0);
	fake_ring_finish(&fake);
}

static void test_random_bytes(void **state)
{
	for (unsigned int seed = 1; seed <= 100; seed++)
		random_bytes(seed, seed % 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laps_mirrored),
		cmocka_unit_test(test_laps_bounced),
		cmocka_unit_test(test_record_as_large_as_the_ring),
		cmocka_unit_test(test_nothing_before_load),
		cmocka_unit_test(test_has_room),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_lost_and_other_records),
		cmocka_unit_test(test_short_lost_record),
		cmocka_unit_test(test_stragglers),
		cmocka_unit_test(test_straggler_of_a_later_load),
		cmocka_unit_test(test_straggler_that_comes_too_late),
		cmocka_unit_test(test_many_stragglers),
		cmocka_unit_test(test_corrupt_size),
		cmocka_unit_test(test_impossible_head),
		cmocka_unit_test(test_corrupt_frames),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_laps_of_batches),
		cmocka_unit_test(test_added_frames),
		cmocka_unit_test(test_added_frames_corrupt),
		cmocka_unit_test(test_added_frames_are_tidied),
		cmocka_unit_test(test_corrupt_batch),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
