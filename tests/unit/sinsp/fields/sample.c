/* SPDX-License-Identifier: MIT */
/* perf.*: what samples have, and that other events have none of it. */
#include "unit.h"
#include "world.h"

static void test_values(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_perf_sample, 100);
	frame_put_string(&world->frame, perf_sample__event, "cpu-clock/freq=99/");
	frame_put_i64(&world->frame, perf_sample__period, 10101010);
	frame_put_i64(&world->frame, perf_sample__mode, 2);
	frame_put_i64(&world->frame, perf_sample__ip, 0x401136);
	frame_put_i64(&world->frame, perf_sample__addr, 0x601040);
	frame_put_string(&world->frame, perf_sample__symbol, "g");
	frame_put_string(&world->frame, perf_sample__stack, "main;f;g");
	world_end(world);
	world_expect(world, "perf.event", "cpu-clock/freq=99/");
	world_expect(world, "perf.period", "10101010");
	world_expect(world, "perf.mode", "user");
	world_expect(world, "perf.ip", "401136");
	world_expect(world, "perf.addr", "601040");
	world_expect(world, "perf.symbol", "g");
	world_expect(world, "perf.stack", "main;f;g");
}

static void test_absent(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_perf_sample, 100);
	frame_put_string(&world->frame, perf_sample__event, "cs");
	frame_put_i64(&world->frame, perf_sample__mode, 77);
	world_end(world);
	world_expect_none(world, "perf.mode");
	world_expect_none(world, "perf.addr");
	world_expect_none(world, "perf.symbol");
	/* Another event has a parameter of that name. */
	world_begin(world, EVENT_page_fault, 100);
	frame_put_i64(&world->frame, page_fault__addr, 0x601040);
	world_end(world);
	world_expect_none(world, "perf.addr");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_values, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_absent, world_setup, world_teardown),
};

UNIT_GROUP(tests);
