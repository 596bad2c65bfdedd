/* SPDX-License-Identifier: MIT */
/* Steps of the wall clock: which events each is for. */
#include "scap/live/wall_clock.h"
#include "unit.h"

#define OFFSET UINT64_C(1700000000000000000)
#define HOUR INT64_C(3600000000000)

static struct wall_clock wall;

static int64_t step_at(uint64_t boot_ns)
{
	return wall_clock_step(&wall, OFFSET + boot_ns);
}

static void test_no_step(void **state)
{
	wall_clock_init(&wall, OFFSET, OFFSET);
	for (unsigned int i = 1; i < 100; i++) {
		/* Two clocks are not read at the same moment. */
		uint64_t error_ns = WALL_STEP_MIN_NS - 1;

		wall_clock_read(&wall, i, i % 2 ? OFFSET + error_ns : OFFSET - error_ns);
		assert_int_equal(step_at(i), 0);
	}
}

/* Events from before the reading keep the time that the clock had then. */
static void test_steps(void **state)
{
	wall_clock_init(&wall, OFFSET, OFFSET);
	wall_clock_read(&wall, 1000, OFFSET + HOUR);
	assert_int_equal(step_at(999), 0);
	assert_int_equal(step_at(1000), HOUR);
	assert_int_equal(step_at(5000), HOUR);
	wall_clock_read(&wall, 6000, OFFSET - HOUR);
	wall_clock_read(&wall, 7000, OFFSET - HOUR);
	assert_int_equal(step_at(5999), HOUR);
	assert_int_equal(step_at(6001), -HOUR);
	wall_clock_read(&wall, 8000, OFFSET);
	assert_int_equal(step_at(9000), 0);
}

static void test_small_steps_add_up(void **state)
{
	int64_t step;

	wall_clock_init(&wall, OFFSET, OFFSET);
	for (unsigned int i = 1; i <= 1000; i++) {
		int64_t true_step = i * INT64_C(10000);

		wall_clock_read(&wall, i, OFFSET + (uint64_t)true_step);
		step = step_at(i);
		assert_true(true_step - step < WALL_STEP_MIN_NS && true_step >= step);
	}
}

/* The clock was set before: by a capture that this one follows. */
static void test_another_offset(void **state)
{
	wall_clock_init(&wall, OFFSET, OFFSET - HOUR);
	assert_int_equal(step_at(0), -HOUR);
	wall_clock_read(&wall, 10, OFFSET - HOUR);
	assert_int_equal(step_at(10), -HOUR);
}

/* Many steps while no event comes: the earliest and the last are kept. */
static void test_many_steps(void **state)
{
	enum { STEPS = 3 * WALL_STEPS_MAX };

	wall_clock_init(&wall, OFFSET, OFFSET);
	for (unsigned int i = 1; i <= STEPS; i++)
		wall_clock_read(&wall, 100 * i, OFFSET + i * (uint64_t)HOUR);
	assert_int_equal(step_at(50), 0);
	for (unsigned int i = 1; i < WALL_STEPS_MAX; i++)
		assert_int_equal(step_at(100 * i), i * HOUR);
	assert_int_equal(step_at(100 * WALL_STEPS_MAX), STEPS * HOUR);
	assert_int_equal(step_at(100 * STEPS), STEPS * HOUR);
	/* And there is room again. */
	wall_clock_read(&wall, 100 * STEPS + 100, OFFSET);
	assert_int_equal(step_at(100 * STEPS + 99), STEPS * HOUR);
	assert_int_equal(step_at(100 * STEPS + 100), 0);
}

/* Several steps between two events: the last one counts. */
static void test_steps_without_events(void **state)
{
	wall_clock_init(&wall, OFFSET, OFFSET);
	wall_clock_read(&wall, 100, OFFSET + 2 * HOUR);
	wall_clock_read(&wall, 200, OFFSET + 3 * HOUR);
	assert_int_equal(step_at(300), 3 * HOUR);
	assert_int_equal(step_at(301), 3 * HOUR);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_step),
	cmocka_unit_test(test_steps),
	cmocka_unit_test(test_small_steps_add_up),
	cmocka_unit_test(test_another_offset),
	cmocka_unit_test(test_many_steps),
	cmocka_unit_test(test_steps_without_events),
};

UNIT_GROUP(tests);
