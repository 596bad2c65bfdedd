/* SPDX-License-Identifier: MIT */
/* The fields of times: when an event was, and how long its call took. */
#include <stdlib.h>
#include <time.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "world.h"

static void make_read(struct drive *world)
{
	world_begin(world, EVENT_read, 100);
	world_end(world);
}

static void begin_call(struct drive *world, unsigned int id, uint64_t latency_ns)
{
	world_begin(world, (uint16_t)id, 100);
	world->frame.latency_ns = latency_ns;
	world_end(world);
}

static void test_latency(void **state)
{
	struct drive *world = *state;

	begin_call(world, EVENT_close, 3001250007);
	world_expect(world, "evt.latency", "3001250007");
	world_expect(world, "evt.latency.s", "3");
	world_expect(world, "evt.latency.ns", "001250007");
	world_expect(world, "evt.latency.human", "3s");
	world_expect(world, "evt.latency.quantized", "94");
	world_expect_none(world, "evt.wait_latency");
	begin_call(world, EVENT_poll, 1250000);
	world_expect(world, "evt.wait_latency", "1250000");
}

static void test_latency_human(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0ns"},
		{999, "999ns"},
		{1000, "1us"},
		{1009, "1us"},
		{1010, "1.01us"},
		{1100, "1.1us"},
		{350000, "350us"},
		{350120, "350.12us"},
		{999999, "999.99us"},
		{1000000, "1ms"},
		{1250000, "1.25ms"},
		{999999999, "999.99ms"},
		{1000000000, "1s"},
		{60050000000, "60.05s"},
		{86400500000000, "86400.5s"},
		{UINT64_MAX - 1, "18446744073.7s"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_call(*state, EVENT_close, cases[i].ns);
		world_expect(*state, "evt.latency.human", cases[i].text);
	}
}

static void test_latency_quantized(void **state)
{
	static const struct {
		uint64_t ns;
		const char *step;
	} cases[] = {
		{0, "0"},
		{1, "0"},
		{2, "3"},
		{9, "9"},
		{10, "10"},
		{999, "29"},
		{1000, "30"},
		{1258, "30"},
		{1259, "31"},
		{999999, "59"},
		{1000000, "60"},
		{1000000000, "90"},
		{UINT64_MAX - 1, "192"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_call(*state, EVENT_close, cases[i].ns);
		world_expect(*state, "evt.latency.quantized", cases[i].step);
	}
}

static void test_latency_unknown(void **state)
{
	static const char *const fields[] = {"evt.latency",	      "evt.latency.s",
					     "evt.latency.ns",	      "evt.latency.human",
					     "evt.latency.quantized", "evt.wait_latency"};

	begin_call(*state, EVENT_poll, LATENCY_UNKNOWN);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		world_expect_none(*state, fields[i]);
}

static void test_times(void **state)
{
	struct drive *world = *state;

	make_read(world);
	world_expect(world, "evt.time", "13:36:01.123456789");
	world_expect(world, "evt.time.s", "13:36:01");
	world_expect(world, "evt.datetime", "2026-11-21 13:36:01.123456789");
	world_expect(world, "evt.datetime.s", "2026-11-21 13:36:01");
	world_expect(world, "evt.time.iso8601", "2026-11-21T11:36:01.123456789+0000");
	world_expect_json(world, "evt.time", "{\"evt.time\":\"2026-11-21T11:36:01.123456789Z\"}");
	world_expect(world, "evt.rawtime", "1795260961123456789");
	world_expect_json(world, "evt.rawtime", "{\"evt.rawtime\":\"1795260961123456789\"}");
	world_expect(world, "evt.rawtime.s", "1795260961");
	world_expect(world, "evt.rawtime.ns", "123456789");
	world_expect(world, "evt.reltime", "5000000007");
	world_expect(world, "evt.reltime.s", "5");
	world_expect(world, "evt.reltime.ns", "000000007");
	world->event.first_ts_ns = WORLD_TIME_NS + 1;
	world_expect(world, "evt.reltime", "000000000");
}

/* The clock is set back by an hour: what is shown follows, what is counted does not. */
static void test_times_after_a_step(void **state)
{
	struct drive *world = *state;

	make_read(world);
	world->event.clock_step_ns = -3600000000000;
	world_expect(world, "evt.time", "12:36:01.123456789");
	world_expect(world, "evt.time.s", "12:36:01");
	world_expect(world, "evt.datetime", "2026-11-21 12:36:01.123456789");
	world_expect(world, "evt.datetime.s", "2026-11-21 12:36:01");
	world_expect(world, "evt.time.iso8601", "2026-11-21T10:36:01.123456789+0000");
	world_expect_json(world, "evt.time", "{\"evt.time\":\"2026-11-21T10:36:01.123456789Z\"}");
	world_expect(world, "evt.rawtime", "1795257361123456789");
	world_expect(world, "evt.rawtime.s", "1795257361");
	world_expect(world, "evt.reltime", "5000000007");
	world_expect(world, "evt.deltatime", "0");
	world->event.clock_step_ns = 3600000000000;
	world_expect(world, "evt.time.s", "14:36:01");
	world_expect(world, "evt.reltime.s", "5");
}

static void test_deltas(void **state)
{
	struct drive *world = *state;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_ref whole, rest;
	struct field_value value;

	assert_int_equal(field_ref_init(&whole, "evt.deltatime.s", 15, NULL), 0);
	assert_int_equal(field_ref_init(&rest, "evt.deltatime.ns", 16, NULL), 0);
	make_read(world);
	field_get(&whole, &world->event, scratch, &value);
	assert_int_equal(value.u64, 0);
	make_read(world);
	world->event.ev.ts_ns += 3000000009;
	field_get(&whole, &world->event, scratch, &value);
	assert_int_equal(value.u64, 3);
	field_get(&rest, &world->event, scratch, &value);
	assert_int_equal(value.u64, 9);
	make_read(world);
	field_get(&rest, &world->event, scratch, &value);
	assert_int_equal(value.u64, 0);
	world_expect(world, "evt.deltatime", "0");
	free(scratch);
}

static int setup(void **state)
{
	/* A fixed zone, two hours east, so that local time differs from UTC. */
	setenv("TZ", "XYZ-2", 1);
	tzset();
	return world_setup(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_latency),
	TEST(test_latency_human),
	TEST(test_latency_quantized),
	TEST(test_latency_unknown),
	TEST(test_times),
	TEST(test_deltas),
	TEST(test_times_after_a_step),
};

UNIT_GROUP(tests);
