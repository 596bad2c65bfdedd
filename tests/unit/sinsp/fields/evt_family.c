/* SPDX-License-Identifier: MIT */
/* evt.family: what events are about, by their type. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "world.h"

static int setup(void **state)
{
	struct sinsp_config config = {.hostname = "box", .etc = "/nonexistent", .boot_id = "1"};
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "logger", .cwd = "/"};

	if (sinsp_create(&config, &world->sinsp, NULL))
		return -1;
	world_process(world, &process);
	world_begin(world, EVENT_getuid, 100);
	world_end(world);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_families, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
