/* SPDX-License-Identifier: MIT */
/* Scratch slots as the merge looks at them: the time of their first event, and emptying them. */
#include <errno.h>
#include <string.h>

#include "fake_ring.h"
#include "scap/rings/merge.h"
#include "unit.h"

enum { RING_BYTES = 1 << 16 };

static struct scratch_slot slot;
static struct fake_ring fake;

static int setup(void **state)
{
	memset(&slot, 0, sizeof(slot));
	fake_ring_init(&fake, RING_BYTES, true);
	return 0;
}

static int teardown(void **state)
{
	fake_ring_finish(&fake);
	return 0;
}

static void test_since(void **state)
{
	static const struct {
		uint32_t users;
		uint64_t slot_ns, before_ns, after_ns;
		int code;
	} cases[] = {
		{0, 0, 50, 50, 0}, /* free */
		{1, 30, 50, 30, 0}, /* an event is being written */
		{0, 30, 50, 30, 0}, /* frames wait */
		{1, 70, 50, 50, 0}, /* later than another slot's */
		{1, 0, 50, 50, -EAGAIN}, /* its owner has not read the clock */
		{2, 0, 50, 50, -EAGAIN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t since = cases[i].before_ns;

		slot.state = (struct scratch_state){.users = cases[i].users,
						    .since_ns = cases[i].slot_ns};
		assert_int_equal(scap_slot_since(&slot, &since), cases[i].code);
		assert_int_equal(since, cases[i].after_ns);
	}
}

/* Frames that wait, as the driver leaves them. */
static void put_frames(uint32_t users)
{
	static const uint64_t times[] = {10, 20, 30};

	slot.state.users = users;
	slot.state.since_ns = times[0];
	slot.state.batch.count = 3;
	slot.state.batch.bytes = (uint32_t)fake_frames(slot.frames, times, 3, 0);
}

static unsigned int frames_in_ring(void)
{
	struct scap_frame frame;
	unsigned int n = 0;

	scap_ring_load(&fake.ring);
	while (scap_ring_peek(&fake.ring, &frame) == 1) {
		scap_ring_take(&fake.ring);
		n++;
	}
	return n;
}

static void test_frames_move_to_the_ring(void **state)
{
	put_frames(0);
	scap_slot_empty(&slot, &fake.ring);
	assert_int_equal(frames_in_ring(), 3);
	assert_int_equal(slot.state.users, 0);
	assert_int_equal(slot.state.since_ns, 0);
	assert_int_equal(slot.state.batch.count, 0);
	assert_int_equal(slot.state.batch.bytes, 0);
	scap_slot_empty(&slot, &fake.ring); /* not twice */
	assert_int_equal(frames_in_ring(), 0);
}

/* Its filler goes on as if nobody had looked. */
static void test_slot_in_use_is_left_alone(void **state)
{
	struct scratch_state before;

	put_frames(1);
	before = slot.state;
	scap_slot_empty(&slot, &fake.ring);
	assert_memory_equal(&slot.state, &before, sizeof(before));
	assert_int_equal(frames_in_ring(), 0);
}

/* More bytes than a slot has: no event of it is believed, and all of them are counted. */
static void test_corrupt_length(void **state)
{
	static const uint32_t lengths[] = {sizeof(slot.frames) + 1, UINT32_MAX};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		uint64_t corrupt = fake.ring.corrupt;

		put_frames(0);
		slot.state.batch.bytes = lengths[i];
		scap_slot_empty(&slot, &fake.ring);
		assert_int_equal(frames_in_ring(), 0);
		assert_int_equal(fake.ring.corrupt - corrupt, 3);
		assert_int_equal(slot.state.users, 0);
		assert_int_equal(slot.state.batch.count, 0);
	}
}

static void test_slot_is_free(void **state)
{
	slot.state = (struct scratch_state){0};
	assert_true(scap_slot_is_free(&slot));
	slot.state.users = 1;
	assert_false(scap_slot_is_free(&slot));
	slot.state = (struct scratch_state){.since_ns = 1};
	assert_false(scap_slot_is_free(&slot));
	slot.state.since_ns = 0;
	assert_true(scap_slot_is_free(&slot));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_since),
	TEST(test_frames_move_to_the_ring),
	TEST(test_slot_in_use_is_left_alone),
	cmocka_unit_test(test_slot_is_free),
	TEST(test_corrupt_length),
};

UNIT_GROUP(tests);
