/* SPDX-License-Identifier: MIT */
/* tracepoint.* and probe.*: arguments by their names, as texts and as numbers. */
#include "unit.h"
#include "world.h"

#define ARGS "prev_comm=bash\0prev_pid=-7\0addr=0xffff888000000000\0empty=\0prev_prio=120\0"

static void test_tracepoint(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_tracepoint, 100);
	frame_put_string(&world->frame, tracepoint__name, "sched:sched_switch");
	frame_put_bytes(&world->frame, tracepoint__args, ARGS, sizeof(ARGS) - 1);
	world_end(world);
	world_expect(world, "tracepoint.name", "sched:sched_switch");
	world_expect(world, "tracepoint.args",
		     "prev_comm=bash prev_pid=-7 addr=0xffff888000000000 empty= prev_prio=120");
	world_expect(world, "tracepoint.arg[prev_comm]", "bash");
	world_expect(world, "tracepoint.arg[prev_prio]", "120");
	world_expect(world, "tracepoint.rawarg[prev_pid]", "-7");
	world_expect(world, "tracepoint.rawarg[addr]", "-131391639519232");
	world_expect_none(world, "tracepoint.rawarg[prev_comm]");
	world_expect_none(world, "tracepoint.rawarg[empty]");
	/* Neither the beginning of a name nor its end. */
	world_expect_none(world, "tracepoint.arg[prev]");
	world_expect_none(world, "tracepoint.arg[pid]");
	world_expect_none(world, "probe.name");
	world_expect_none(world, "probe.arg[prev_comm]");
}

static void test_probe(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_probe, 100);
	frame_put_string(&world->frame, probe__name, "u:/bin/x:main");
	frame_put_bytes(&world->frame, probe__args, "arg1=7\0arg2=0x10\0", 17);
	frame_put_i64(&world->frame, probe__ip, 0x401136);
	world_end(world);
	world_expect(world, "probe.name", "u:/bin/x:main");
	world_expect(world, "probe.arg[arg1]", "7");
	world_expect(world, "probe.rawarg[arg2]", "16");
	world_expect(world, "probe.ip", "401136");
	world_expect_none(world, "probe.symbol");
	world_expect_none(world, "tracepoint.args");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_tracepoint, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_probe, world_setup, world_teardown),
};

UNIT_GROUP(tests);
