/* SPDX-License-Identifier: MIT */
/* evt.family: what events are about, by their type. */
#include "unit.h"
#include "world.h"

static void expect_family(struct drive *world, uint16_t id, const char *family)
{
	world_begin(world, id, 100);
	world_end(world);
	world_expect(world, "evt.family", family);
}

static void test_families(void **state)
{
	struct drive *world = *state;

	expect_family(world, EVENT_openat, "file");
	expect_family(world, EVENT_read, "io");
	expect_family(world, EVENT_connect, "net");
	expect_family(world, EVENT_execve, "process");
	expect_family(world, EVENT_mmap, "memory");
	expect_family(world, EVENT_kill, "signal");
	expect_family(world, EVENT_switch, "kernel");
	expect_family(world, EVENT_syscall, "other");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_families, world_setup, world_teardown),
};

UNIT_GROUP(tests);
