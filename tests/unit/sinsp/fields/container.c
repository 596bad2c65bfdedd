/* SPDX-License-Identifier: MIT */
/* The container.* fields, and those of descriptors that have the container's id in them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sinsp/state/core.h"
#include "world.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int setup(void **state)
{
	world_setup(state);
	world_read(*state, 0);
	return 0;
}

static void set_group(struct drive *world, const char *group)
{
	sinsp_thread_set_cgroups(&world->sinsp->pool, world_self(world), group, strlen(group) + 1);
}

static void open_file(struct drive *world)
{
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/etc/hostname"));
}

static void test_host(void **state)
{
	struct drive *world = *state;

	world_expect(world, "container.id", "host");
	set_group(world, "memory=/system.slice/cron.service");
	world_expect(world, "container.id", "host");
	world_expect(world, "container.full_id", "host");
	world_expect(world, "container.type", "host");
	world_expect(world, "container.name", "host");
	open_file(world);
	world_expect(world, "fd.containername", ":/etc/hostname");
	world_expect(world, "fd.containerdirectory", ":/etc");
}

static void test_docker(void **state)
{
	struct drive *world = *state;

	set_group(world, "memory=/docker/" ID);
	world_expect(world, "container.id", "0123456789ab");
	world_expect(world, "container.full_id", ID);
	world_expect(world, "container.type", "docker");
	world_expect_none(world, "container.name");
	/* As fd.name and fd.directory are of a descriptor that is not known. */
	world_expect(world, "fd.containername", "0123456789ab:");
	world_expect(world, "fd.containerdirectory", "0123456789ab:/");
	open_file(world);
	world_expect(world, "fd.containername", "0123456789ab:/etc/hostname");
	world_expect(world, "fd.containerdirectory", "0123456789ab:/etc");
	/* It leaves its container. */
	set_group(world, "memory=/");
	world_expect(world, "container.id", "host");
}

static void test_lxc(void **state)
{
	struct drive *world = *state;

	set_group(world, "memory=/lxc.payload.a-longer-name/init.scope");
	world_expect(world, "container.id", "a-longer-name");
	world_expect(world, "container.full_id", "a-longer-name");
	world_expect(world, "container.type", "lxc");
	world_expect(world, "container.name", "a-longer-name");
}

static void test_unknown_thread(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_read, 555);
	world_end(world);
	world_expect_none(world, "container.id");
	world_expect_none(world, "container.full_id");
	world_expect_none(world, "container.type");
	world_expect_none(world, "container.name");
	world_expect_none(world, "fd.containername");
}

/* Only the container runtime knows these. */
static void test_what_no_group_shows(void **state)
{
	struct drive *world = *state;
	static const char *const fields[] = {
		"container.image",
		"container.image.repository",
		"container.privileged",
		"container.mount[/data]",
		"container.mount.mode[0]",
		"container.start_ts",
		"container.label[a.b/c]",
		"container.healthcheck",
		"container.ip",
		"proc.is_container_healthcheck",
	};

	set_group(world, "memory=/docker/" ID);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		world_expect_none(world, fields[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_host, setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_docker, setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_lxc, setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_unknown_thread, setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_what_no_group_shows, world_setup,
						world_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
