/* SPDX-License-Identifier: MIT */
/* Rates, samples and events that look the same, by the times of the events. */
#include "output/delivery/limit.h"

#include <errno.h>
#include <string.h>

#include "formatted.h"
#include "output/target.h"
#include "unit.h"

#define MS UINT64_C(1000000)

static const char *const names[] = {"x", NULL};
static const struct output_kind kind = {.names = names, .target = ""};
static const struct output_kind *const kinds[] = {&kind, NULL};

static struct output_config *config;
static struct limit limit;

static int begin(const char *text)
{
	struct error err;

	assert_int_equal(output_config_read(kinds, text, &config, &err), 0);
	return limit_init(&limit, config, &err);
}

static void end(void)
{
	limit_finish(&limit);
	output_config_destroy(config);
}

/* Whether an event at a time is taken; else its cause. */
static int try_at(struct drive *world, uint64_t ns, long rule)
{
	enum gap_cause cause;

	world->event.ev.ts_ns = ns;
	return limit_takes(&limit, &world->event, rule, &cause) ? GAP_CAUSES : (int)cause;
}

static void test_rate(void **state)
{
	struct drive *world = *state;
	uint64_t now = 1000000 * MS;

	assert_int_equal(begin("x:,rate=10,burst=3"), 0);
	assert_true(limit.is_on);
	for (int i = 0; i < 3; i++)
		assert_int_equal(try_at(world, now, LIMIT_NO_RULE), GAP_CAUSES);
	assert_int_equal(try_at(world, now, LIMIT_NO_RULE), GAP_RATE);
	assert_int_equal(try_at(world, now + 99 * MS, LIMIT_NO_RULE), GAP_RATE);
	assert_int_equal(try_at(world, now + 100 * MS, LIMIT_NO_RULE), GAP_CAUSES);
	assert_int_equal(try_at(world, now + 101 * MS, LIMIT_NO_RULE), GAP_RATE);
	/* After a pause not more than the burst. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(try_at(world, now + 9000 * MS, LIMIT_NO_RULE), GAP_CAUSES);
	assert_int_equal(try_at(world, now + 9000 * MS, LIMIT_NO_RULE), GAP_RATE);
	end();
}

/* Over some seconds exactly the rate, however many come. */
static void test_rate_over_time(void **state)
{
	struct drive *world = *state;
	int taken = 0;

	assert_int_equal(begin("x:,rate=100,burst=1"), 0);
	for (uint64_t i = 0; i < 10000; i++)
		taken += try_at(world, 1000000 * MS + i * MS, LIMIT_NO_RULE) == GAP_CAUSES;
	assert_int_equal(taken, 1000);
	end();
}

static void test_rate_of_each_rule(void **state)
{
	struct drive *world = *state;

	assert_int_equal(begin("x:,rate=1,rate-by=rule"), 0);
	assert_int_equal(try_at(world, MS, 0), GAP_CAUSES);
	assert_int_equal(try_at(world, MS, 0), GAP_RATE);
	assert_int_equal(try_at(world, MS, 100), GAP_CAUSES);
	assert_int_equal(try_at(world, MS, 100), GAP_RATE);
	assert_int_equal(try_at(world, MS, 1), GAP_CAUSES);
	end();
	assert_int_equal(begin("x:,rate=1"), 0);
	assert_int_equal(try_at(world, MS, 0), GAP_CAUSES);
	assert_int_equal(try_at(world, MS, 1), GAP_RATE);
	end();
}

static void test_sample(void **state)
{
	struct drive *world = *state;
	int taken = 0;

	assert_int_equal(begin("x:,sample=10"), 0);
	for (int i = 0; i < 1000; i++)
		taken += try_at(world, MS, LIMIT_NO_RULE) == GAP_CAUSES;
	assert_int_equal(taken, 100);
	assert_int_equal(try_at(world, MS, LIMIT_NO_RULE), GAP_CAUSES);
	assert_int_equal(try_at(world, MS, LIMIT_NO_RULE), GAP_SAMPLED);
	end();
}

static void test_same(void **state)
{
	struct drive *world = *state;

	assert_int_equal(begin("x:,dedup=evt.num,dedup-window=1"), 0);
	assert_true(limit_needs(&limit) == 0);
	for (uint64_t num = 1; num < 100; num++) {
		world->event.num = num;
		assert_int_equal(try_at(world, 1000 * MS, LIMIT_NO_RULE), GAP_CAUSES);
		assert_int_equal(try_at(world, 1999 * MS, LIMIT_NO_RULE), GAP_SAME);
		assert_int_equal(try_at(world, 2000 * MS, LIMIT_NO_RULE), GAP_CAUSES);
	}
	end();
}

static void test_off_and_wrong(void **state)
{
	struct drive *world = *state;

	assert_int_equal(begin("x:"), 0);
	assert_false(limit.is_on);
	assert_int_equal(try_at(world, MS, LIMIT_NO_RULE), GAP_CAUSES);
	assert_int_equal(try_at(world, MS, 3), GAP_CAUSES);
	end();
	assert_int_equal(begin("x:,dedup=no.field"), -EINVAL);
	end();
}

/* A burst of any size is one, and no small one. */
static void test_large_burst(void **state)
{
	assert_int_equal(begin("x:,rate=1,burst=18446744073709551615"), 0);
	assert_true(limit.burst_ns > UINT64_MAX / 8);
	end();
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, formatted_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_large_burst),	      TEST(test_rate),	 TEST(test_rate_over_time),
	TEST(test_rate_of_each_rule), TEST(test_sample), TEST(test_same),
	TEST(test_off_and_wrong),
};

UNIT_GROUP(tests);
