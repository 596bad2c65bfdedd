/* SPDX-License-Identifier: MIT */
/* Frames that are added to a ring from a slot. */
#include "ring_events.h"
#include "unit.h"

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_added_frames),
	cmocka_unit_test(test_added_frames_corrupt),
	cmocka_unit_test(test_added_frames_are_tidied),
};

UNIT_GROUP(tests);
