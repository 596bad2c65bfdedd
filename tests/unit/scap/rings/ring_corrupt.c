/* SPDX-License-Identifier: MIT */
/* Corrupt rings: each costs no more events than it must. */
#include <stdlib.h>

#include "ring_events.h"
#include "unit.h"

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
		while (next_event(&fake.ring, &frame)) {
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_short_lost_record), cmocka_unit_test(test_corrupt_size),
	cmocka_unit_test(test_impossible_head),	  cmocka_unit_test(test_corrupt_frames),
	cmocka_unit_test(test_corrupt_batch),	  cmocka_unit_test(test_random_bytes),
};

UNIT_GROUP(tests);
