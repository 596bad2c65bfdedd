/* SPDX-License-Identifier: MIT */
/* Records that wrap at the end of a ring. */
#include "ring_events.h"
#include "unit.h"

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_laps_mirrored),
	cmocka_unit_test(test_laps_bounced),
	cmocka_unit_test(test_record_as_large_as_the_ring),
	cmocka_unit_test(test_laps_of_batches),
};

UNIT_GROUP(tests);
