/* SPDX-License-Identifier: MIT */
/* Mounts, by number and by pattern. */
#include "contained.h"
#include "unit.h"

static void test_all(void **state)
{
	world_expect(*state, "container.mounts",
		     "/srv/data:/data:ro:false:rprivate,/var/log:/logs::true:rslave");
}

static void test_by_number(void **state)
{
	world_expect(*state, "container.mount[0]", "/srv/data:/data:ro:false:rprivate");
	world_expect(*state, "container.mount.source[1]", "/var/log");
	world_expect(*state, "container.mount.dest[1]", "/logs");
	world_expect(*state, "container.mount.mode[0]", "ro");
	world_expect(*state, "container.mount.rdwr[1]", "true");
	world_expect(*state, "container.mount.propagation[1]", "rslave");
	world_expect_none(*state, "container.mount[2]");
}

static void test_by_pattern(void **state)
{
	world_expect(*state, "container.mount[/srv/*]", "/srv/data:/data:ro:false:rprivate");
	world_expect(*state, "container.mount.dest[/var/log]", "/logs");
	/* The source is found by the place in the container. */
	world_expect(*state, "container.mount.source[/log*]", "/var/log");
	world_expect_none(*state, "container.mount.source[/var/log]");
	/* The whole path, not a part of it. */
	world_expect_none(*state, "container.mount[/srv]");
}

static void test_on_the_host(void **state)
{
	contained_set_group(*state, "/");
	world_expect_none(*state, "container.mounts");
	world_expect_none(*state, "container.mount[0]");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_all, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_by_number, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_by_pattern, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_on_the_host, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
