/* SPDX-License-Identifier: MIT */
/* thread.*: time on a CPU. */
#include "unit.h"
#include "world.h"

/* Through the state engine, which adds up. */
static void process(struct drive *world)
{
	struct scap_event raw = frame_end(&world->frame);

	assert_int_equal(state_process(world->state, &raw, &world->event), 0);
}

static void switch_at(struct drive *world, uint64_t ts_ns, uint16_t cpu, int64_t tid, int64_t next)
{
	struct scap_event raw;

	frame_begin(&world->frame, EVENT_switch, ts_ns, tid);
	frame_put_i64(&world->frame, switch__next, next);
	raw = frame_end(&world->frame);
	raw.cpu = cpu;
	assert_int_equal(state_process(world->state, &raw, &world->event), 0);
}

static void procinfo(struct drive *world, int64_t user, int64_t system)
{
	frame_begin(&world->frame, EVENT_procinfo, 1000, 100);
	frame_put_i64(&world->frame, procinfo__cpu_usr, user);
	frame_put_i64(&world->frame, procinfo__cpu_sys, system);
	process(world);
}

static void test_time_until_a_cpu(void **state)
{
	struct drive *world = *state;

	frame_begin(&world->frame, EVENT_runqueue, 1000, 100);
	frame_put_i64(&world->frame, runqueue__wait, 700);
	process(world);
	world_expect(world, "thread.runqtime", "700");
	switch_at(world, 1500, 0, 100, 100);
	world_expect_none(world, "thread.runqtime");
}

static void test_time_on_a_cpu(void **state)
{
	struct drive *world = *state;

	switch_at(world, 1000, 0, 100, 200);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 1500, 0, 200, 100);
	/* Of a thread that is not known, too. */
	world_expect(world, "thread.exectime", "500");
	world_expect_none(world, "thread.totexectime");
	switch_at(world, 1700, 0, 100, 300);
	world_expect(world, "thread.exectime", "200");
	world_expect(world, "thread.totexectime", "200");
	/* There was a switch from 300 to 100 that was not captured. */
	switch_at(world, 1900, 0, 100, 0);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 5000, 1, 100, 100);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 5001, 65535, 0, 100);
	switch_at(world, 5006, 65535, 100, 0);
	world_expect(world, "thread.exectime", "5");
	world_expect(world, "thread.totexectime", "205");
	/* An event that came too late. */
	switch_at(world, 4000, 1, 100, 0);
	world_expect_none(world, "thread.exectime");
	frame_begin(&world->frame, EVENT_getuid, 6000, 100);
	process(world);
	world_expect_none(world, "thread.exectime");
	world_expect(world, "thread.totexectime", "205");
}

static void test_procinfo(void **state)
{
	struct drive *world = *state;

	procinfo(world, 0, 500);
	world_expect(world, "evt.count.threadinfo", "1");
	world_expect(world, "evt.count.procinfo", "1");
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":0}");
	procinfo(world, 20, 515);
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":35}");
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":20}");
	world_expect_json(world, "thread.cpu.system", "{\"thread.cpu.system\":15}");
	procinfo(world, 90, 600);
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":100}");
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":70}");
	procinfo(world, 80, 800);
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":0}");
	world_expect_json(world, "thread.cpu.system", "{\"thread.cpu.system\":100}");
	frame_begin(&world->frame, EVENT_getuid, 6000, 100);
	process(world);
	world_expect_none(world, "thread.cpu");
	world_expect_none(world, "thread.cpu.user");
	world_expect(world, "evt.count.threadinfo", "0");
	world_expect(world, "evt.count.procinfo", "0");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_time_until_a_cpu, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_time_on_a_cpu, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_procinfo, world_setup, world_teardown),
};

UNIT_GROUP(tests);
