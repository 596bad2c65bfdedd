/* SPDX-License-Identifier: MIT */
/* The cursor over a perf ring: the order of events, losses, and when room is given back. */
#include "ring_events.h"
#include "unit.h"

/* RECORD_BYTES: a sample with a frame without parameters, all headers and padding included. */
enum { RECORD_BYTES = 56 };

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

/* Processes are stopped behind a mark, and nothing is reserved. */
static void test_hold(void **state)
{
	struct ring_use use = {.sent = 1000};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, true);
	assert_true(fake_ring_sample(&fake, 1, 1, 0));
	fake_ring_publish(&fake);
	assert_int_equal(scap_ring_used(&fake.ring), RECORD_BYTES);
	scap_ring_hold(&fake.ring, &use);
	assert_int_equal(use.mark, RING_BYTES / 4 * 3);
	assert_int_equal(use.limit, 0);
	assert_int_equal(use.sent - use.read, RECORD_BYTES);
	scap_ring_load(&fake.ring);
	expect_event(&fake.ring, 1);
	scap_ring_release(&fake.ring);
	assert_int_equal(use.sent - use.read, 0);
	assert_int_equal(scap_ring_used(&fake.ring), 0);
	scap_ring_unshare(&fake.ring);
	assert_int_equal(use.mark, 0);
	fake_ring_finish(&fake);
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
	assert_true(next_event(&fake.ring, &frame));
	scap_ring_release(&fake.ring);
	assert_int_equal(fake.meta->data_tail, 5 * RECORD_BYTES);
	before = fake.meta->data_tail;
	for (uint64_t ts = 6; ts <= 20; ts++) {
		assert_true(next_event(&fake.ring, &frame));
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

/* Records without events are no events, and not corrupt, wherever they are. */
static void test_heartbeats(void **state)
{
	const struct batch_header none = {0};
	struct fake_ring fake;

	fake_ring_init(&fake, RING_BYTES, false);
	fake_ring_record_of(&fake, none, "", 0);
	fake_ring_sample(&fake, 1, 1, 0);
	fake_ring_record_of(&fake, none, "", 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	assert_int_equal(fake.ring.heartbeats, 2);
	expect_event(&fake.ring, 1);
	expect_end(&fake.ring);
	fake_ring_record_of(&fake, none, "", 0);
	fake_ring_publish(&fake);
	scap_ring_load(&fake.ring);
	expect_end(&fake.ring);
	assert_int_equal(fake.ring.heartbeats, 3);
	assert_int_equal(fake.ring.corrupt, 0);
	assert_true(scap_ring_drained(&fake.ring));
	assert_int_equal(fake.meta->data_tail, fake.head);
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
	assert_true(next_event(&fake.ring, &frame));
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
	assert_true(next_event(&fake.ring, &frame));
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_before_load),
	cmocka_unit_test(test_has_room),
	cmocka_unit_test(test_hold),
	cmocka_unit_test(test_release),
	cmocka_unit_test(test_lost_and_other_records),
	cmocka_unit_test(test_heartbeats),
	cmocka_unit_test(test_stragglers),
	cmocka_unit_test(test_straggler_of_a_later_load),
	cmocka_unit_test(test_straggler_that_comes_too_late),
	cmocka_unit_test(test_many_stragglers),
	cmocka_unit_test(test_batches),
};

UNIT_GROUP(tests);
